"""What a source says of itself, in German: alarms come in English from the rooms that notice them, and the screen speaks both.

One line for each sentence, with its numbers and names carried over. A sentence without a line here is shown as it came.
"""

# ruff: noqa: E501 - one line a sentence
from __future__ import annotations

import re

_CAUSES = {
    "not connected": "nicht angeschlossen",
    "not connected: the data line stays low (a short, or no supply)": "nicht angeschlossen: Die Datenleitung bleibt auf null (Kurzschluss oder keine Spannung)",
    "at full scale": "am Anschlag",
    "frozen": "eingefroren",
    "noise only: not connected": "nur Rauschen: nicht angeschlossen",
    "out of step: exactly 2, 1/2 or 1/4 of the counts": "aus dem Takt: genau das 2-, 1/2- oder 1/4-fache der Werte",
    "in doubt: wandering by itself, as an open input does": "zweifelhaft: wandert von selbst wie ein offener Eingang",
    "beyond what any such cell bears": "über dem, was so eine Zelle trägt",
}  # fmt: skip

_SENTENCES: tuple[tuple[str, str], ...] = (
    (r"Camera (\d+) \((.+?)\) does not open: is it plugged in, and used by nobody else\?", r"Kamera \1 (\2) lässt sich nicht öffnen: Ist sie eingesteckt, und benutzt sie niemand sonst?"),
    (r"Camera (\d+) has stopped sending pictures; trying again\.", r"Kamera \1 schickt keine Bilder mehr; neuer Versuch läuft."),
    (r"Camera (\d+) sends pictures\.", r"Kamera \1 schickt Bilder."),
    (r"Camera (\d+) sends (\d+ x \d+) pictures, but the profile was made for (\d+ x \d+): set that mode, or turn the camera\.", r"Kamera \1 schickt Bilder mit \2, das Profil ist für \3: diese Größe einstellen oder die Kamera drehen."),
    (r"Camera (\d+) delivered no readable colour picture: check its cable, or choose another camera\.", r"Kamera \1 liefert kein lesbares Farbbild: Kabel prüfen oder eine andere nehmen."),
    (r"Camera (\d+)'s picture is dark: switch on a light, or uncover the lens\.", r"Das Bild von Kamera \1 ist dunkel: Licht an, oder die Linse freimachen."),
    (r"Camera (\d+)'s picture is blank: uncover the lens, or check the cable\.", r"Das Bild von Kamera \1 ist leer: Linse freimachen oder Kabel prüfen."),
    (r"Camera (\d+) sees none of the rig's markers: turn it to the base, and light the markers; they need their white border\.", r"Kamera \1 sieht keine Marken: zum Fundament drehen und die Marken beleuchten; ihr weißer Rand muss frei sein."),
    (r"Camera (\d+) sees (\d+) of the rig's markers; at least (\d+) are needed: clear the apron or move the camera\.", r"Kamera \1 sieht \2 Marken, mindestens \3 sind nötig: den Rand freimachen oder die Kamera umstellen."),
    (r"Camera (\d+) was moved by (\d+) px and has found itself again\.", r"Kamera \1 wurde um \2 Pixel verrückt und hat sich wiedergefunden."),
    (r"No markers in the picture: turn the camera towards the rig\.", r"Keine Marken im Bild: die Kamera zum Fundament drehen."),
    (r"Camera (\d+)'s pose is uncertain by ([\d.]+) mm at the fifth floor: show it more markers\.", r"Der Ort von Kamera \1 ist am fünften Stockwerk um \2 mm unsicher: mehr Marken zeigen."),
    (r"(\d+) pictures were passed over: this computer is slow for so many cameras\.", r"\1 Bilder wurden ausgelassen: Dieser Rechner ist langsam für so viele Kameras."),
    (r"A picture that was to be looked at is missing or cannot be decoded\.", r"Ein Bild, das angesehen werden sollte, fehlt oder ist nicht lesbar."),
    (r"Nothing has been heard from the base yet: check its cable and port\.", r"Vom Fundament ist noch nichts zu hören: Kabel und Anschluss prüfen."),
    (r"The base on (\S+) has gone\. Check its cable; it is used again as soon as it is back\.", r"Die Waage an \1 ist weg. Kabel prüfen; sie wird wieder benutzt, sobald sie da ist."),
    (r"Bytes come in, but no frame of the base among them: wrong port, or not the base's firmware\.", r"Es kommen Daten, aber keine der Waage: falscher Anschluss, oder nicht ihre Firmware."),
    (r"The base has been silent for ([\d.]+) s: check its cable\.", r"Die Waage schweigt seit \1 s: das Kabel prüfen."),
    (r"The base has been silent for ([\d.]+) s\.", r"Die Waage schweigt seit \1 s."),
    (r"Camera (\d+) delivers (\d+x\d+) pictures, but was calibrated at (\d+x\d+): set that mode, or calibrate it again with `paletti calibrate camera`\.", r"Kamera \1 liefert Bilder mit \2, kalibriert ist sie für \3: diese Größe einstellen oder mit `paletti calibrate camera` neu kalibrieren."),
    (r"The base is back\.", r"Die Waage ist wieder da."),
    (r"The base is well\.", r"Die Waage ist in Ordnung."),
    (r"No load cell sends anything: check what they share, supply and clock wire\.", r"Keine Wägezelle meldet sich: prüfen, was sie gemeinsam haben, Spannung und Taktleitung."),
    (r"Load cell (\d+) moved by itself while no other did: look at its cable and plug\.", r"Wägezelle \1 hat sich allein bewegt: Kabel und Stecker ansehen."),
    (r"The motion chip is silent\.", r"Der Bewegungssensor ist still."),
    (r"(\d+) frames \(([\d.]+)%\) were lost in the last (\d+) s: look at the USB cable\.", r"\1 Pakete (\2 %) gingen in den letzten \3 s verloren: das USB-Kabel ansehen."),
    (r"The scale has drifted by ([+-]\d+) g since it was tared\. Steps stay right; tare it again when the base is empty, and look for warmth or a loose wire\.", r"Die Waage ist seit dem Nullstellen um \1 g gewandert. Wiegen stimmt weiter; bei leerem Fundament neu auf null stellen und nach Wärme oder einem losen Draht sehen."),
    (r"The base has started anew", r"Die Waage hat neu begonnen"),
    (r"its power was off", r"sie war ohne Strom"),
    (r"its reset line was pulled \(opening the port does that\)", r"sie wurde zurückgesetzt (das geschieht beim Öffnen des Anschlusses)"),
    (r"its supply voltage broke down", r"ihre Spannung brach ein"),
    (r"its watchdog had to end a hang", r"sie hing und wurde von ihrer Wache geweckt"),
)  # fmt: skip
_PATTERNS = tuple((re.compile(english), german) for english, german in _SENTENCES)
_CELLS = re.compile(
    rf"Load cells? ([\d, and]+?) (?:is|are) ({'|'.join(re.escape(cause) for cause in sorted(_CAUSES, key=len, reverse=True))})\."
)


def in_german(sentence: str) -> str:
    """The sentences in German, each that is known."""
    for pattern, german in _PATTERNS:
        sentence = pattern.sub(german, sentence)
    return _CELLS.sub(_cells, sentence)


def _cells(found: re.Match[str]) -> str:
    numbers = found[1].replace(" and ", " und ")
    one = " und " not in numbers and "," not in numbers
    return f"Wägezelle{'' if one else 'n'} {numbers} {'ist' if one else 'sind'} {_CAUSES[found[2]]}."
