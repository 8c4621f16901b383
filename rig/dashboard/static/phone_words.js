// What the phone's page and the page that connects phones say, in English and German.

import { language } from "./words.js";

const WORDS = {
  en: {
    camera: "Camera {n}", connecting: "Looking for the referee …", offline: "No connection to the referee. Trying again.", starting: "Starting the camera …",
    no_permission: "The browser may not use the camera. Allow it (the lock or camera sign beside the address), then tap Try again.",
    no_camera: "No camera was found on this device.", busy: "Another app uses the camera. Close it, then tap Try again.",
    insecure: "A browser gives its camera to https pages only. Open the https address.", old: "This browser cannot lend its camera to a page. Use a current Chrome, Safari or Firefox.",
    no_code: "Scan the QR code on the referee's screen: the address alone is not enough.", again: "Try again", landscape: "Turn the phone upright.",
    awake: "stays awake", may_sleep: "set the screen to never sleep", focus: "focus", exposure: "exposure", white: "white balance", locked: "held", free: "automatic",
    delay: "delay", clock: "clock", pictures: "pictures/s", dropped: "left out", battery: "battery", hold: "Lean the phone upright so that the whole table sheet and half a metre above it are in the frame.",
    connect: "Connect a phone", scan: "Scan this with the phone's camera. The page that opens is the camera; there is no app.",
    warn: "The browser will warn once, because this computer vouches for itself. Chrome: Advanced, then Proceed. Safari: Show details, then visit this website. Firefox: Advanced, then Accept.",
    fingerprint: "To be sure, compare the certificate's SHA-256:", none_yet: "No phone yet.", need_code: "To connect a phone from here, give the code first.", to_game: "To the game",
    same_net: "Phone and computer must be in the same Wi-Fi.",
  },
  de: {
    camera: "Kamera {n}", connecting: "Suche den Schiedsrichter …", offline: "Keine Verbindung zum Schiedsrichter. Neuer Versuch.", starting: "Die Kamera startet …",
    no_permission: "Der Browser darf die Kamera nicht benutzen. Erlauben (Schloss oder Kamera neben der Adresse), dann auf Nochmal tippen.",
    no_camera: "Dieses Gerät hat keine Kamera.", busy: "Eine andere App benutzt die Kamera. Schließen, dann auf Nochmal tippen.",
    insecure: "Browser geben die Kamera nur an https-Seiten. Bitte die https-Adresse öffnen.", old: "Dieser Browser kann die Kamera nicht teilen. Bitte ein aktuelles Chrome, Safari oder Firefox nehmen.",
    no_code: "Bitte den QR-Code auf dem Bildschirm des Schiedsrichters scannen: Die Adresse allein genügt nicht.", again: "Nochmal", landscape: "Das Handy hochkant stellen.",
    awake: "bleibt wach", may_sleep: "Bildschirm auf „nie aus“ stellen", focus: "Schärfe", exposure: "Belichtung", white: "Weißabgleich", locked: "fest", free: "automatisch",
    delay: "Verzug", clock: "Uhr", pictures: "Bilder/s", dropped: "ausgelassen", battery: "Akku", hold: "Das Handy hochkant anlehnen, sodass die ganze Unterlage und ein halber Meter darüber im Bild sind.",
    connect: "Ein Handy verbinden", scan: "Mit der Kamera des Handys scannen. Die Seite, die aufgeht, ist die Kamera; eine App braucht es nicht.",
    warn: "Der Browser warnt einmal, weil dieser Computer für sich selbst bürgt. Chrome: Erweitert, dann Weiter. Safari: Details einblenden, dann diese Website besuchen. Firefox: Erweitert, dann Akzeptieren.",
    fingerprint: "Wer sicher sein will, vergleicht den SHA-256 des Zertifikats:", none_yet: "Noch kein Handy.", need_code: "Zum Verbinden von hier aus erst den Code eingeben.", to_game: "Zum Spiel",
    same_net: "Handy und Computer müssen im selben WLAN sein.",
  },
};

export const say = (key, values = {}) => (WORDS[language][key] ?? key).replace(/\{(\w+)\}/g, (_, name) => values[name]);

export function applyHere() {
  for (const node of document.querySelectorAll("[data-say]")) node.textContent = say(node.dataset.say);
}
