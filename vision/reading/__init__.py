"""The whole tower read from one instant, from scratch or from what is believed, with how sure and how exact each part is."""
