"""How things look: the pieces' paints under the picture's own lamp (`paints`), and skin (`skin`)."""
