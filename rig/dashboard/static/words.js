// Every word on the screen, in English and German, and the one place that knows which of them is spoken.

import { TELL } from "./tell_words.js";

const WORDS = {
  en: {
    to_rulings: "To the rulings", recording: "recording", archive: "Archive", seal: "Chief Builder's Seal", desk: "The desk",
    who_speaks: "Who speaks?", who_plays: "Who plays which colour?", out: "Out of the game", referee_asks: "The referee asks",
    rulings: "Rulings", weight: "Weight", tilt: "Tilt", see_tower: "See the tower", tell_it: "Tell what happened", tare_scale: "Tare the scale", back: "Back", clockwise: "Clockwise round the table.",
    players: "Players", play: "Play", cancel: "Cancel", name: "Name", starts: "starts", nobody_yet: "Nobody yet",
    no_predecessor: "no predecessor", shows: "shows", your_turn: "Turn", all_build: "All build together", draw_colours: "Drawing colours",
    game_over: "The game is over", waiting: "Waiting for the first message", no_rulings: "No rulings yet.", evidence: "Evidence",
    no_evidence: "Rests on the rules alone; no fact of its own.", counts: "counts", sure: "sure", picture: "picture", not_kept: "in the recording",
    camera: "Camera", old: "s old", no_line: "No connection. What you see is old.", silent: "Nothing is heard. What you see is old.", leans: "It leans: {n}°",
    elsewhere: "This page is open elsewhere. Reload to go on here.", closed: "The program has ended. This is how it stood.",
    wins: "{who} wins", win: "{who} win", nobody: "Nobody wins", toppled: "Toppled by {who}", the_end: "The game is over",
    thin: "thin", hex: "hexagonal", thick: "thick", point: "point", points: "points", locked: "locked", holder: "Seal", real: "Real", stands_in: "Stands in",
    times: "× real time", next: "Next plateau", and: " and ", in_hand: "not quiet", cell_fault: "unknown", english: "English", lost_frames: "{n} frames lost",
    full: "The desk did not answer. Try again.", running: "Being recorded now", crowded: "Too many screens are open from this address. Reload to go on here.", code: "Code", code_give: "Open the desk", undo: "Undo",
    code_why: "This screen shows. To speak here, give the code that was printed when the program was started; once is enough.", names: "Names", all_rulings: "All", lines: "Weight and tilt",
    next_up: "Then {who}", probably: "probably", revised: "revised", first_neutral: "First a neutral column", no_pictures: "Give the code to see the cameras.", ok: "well", senses_none: "Nobody watches: the desk keeps score.",
    why: { face: "{who} wins: the seal shows {face}, and {holder}, who held it, toppled the villa.", holder: "{who} wins: {who} holds the seal, and {culprit} toppled the villa.",
      end: "{who} wins: nobody can build on, and {who} holds the seal.", first: "Nobody wins: {culprit} toppled the villa, and the seal has no previous holder.", none: "Nobody wins: the villa fell before anybody held the seal." }, loading: "Opening the recording", hears: "says",
    ground: "Ground", orange: "Orange", red: "Red", blue: "Blue", yellow: "Yellow", green: "Green",
    took_out: "{column} taken out", plateau_laid: "Plateau laid: {colour}",
    answers: { nothing: "Nothing happened", collapse: "Collapse", "something else": "Something else", none: "None of these" },
    states: {"set-up": "Set-up", settled: "Settled", "hands in": "Hands in", settling: "Settling", asking: "Asking", repair: "Repair", lost: "Lost the thread", over: "Over"},
    phases: {set_up: "Stand all the columns on the building site", draw: "The seal is rolled for the colours", build: "A column may be raised, or the next plateau requested", retry: "Another column may be tried", own: "An own column may be raised", proof: "Can another neutral column be raised?", claim: "Does anyone challenge the request?", challenge: "The challenger tries", penalty: "A column may be taken out", lay: "The next plateau is laid", decision: "The table decides", over: ""},
    calls: {request: "Next plateau, please", unchallenged: "No challenge", challenge: "I challenge", "give up": "I give up", abort: "I break off", "build nothing": "I can build nothing", "cannot lay": "It cannot be laid", pass: "Pass", waive: "No penalty", settled: "It has settled"},
    senses: {camera: "Cameras", scale: "Scale", motion: "Motion", call: "Call", desk: "Desk", rules: "Rules"},
    facts: {stood: "stood up", laid: "laid", raised: "raised", aborted: "put back", removed: "taken out", collapsed: "collapse", incident: "incident", knocked: "knock", unchanged: "unchanged"},
  },
  de: {
    to_rulings: "Zu den Entscheidungen", recording: "nimmt auf", archive: "Archiv", seal: "Baumeistersiegel", desk: "Am Tisch gesagt",
    who_speaks: "Wer spricht?", who_plays: "Wer spielt welche Farbe?", out: "Aus dem Spiel", referee_asks: "Frage des Schiedsrichters",
    rulings: "Entscheidungen", weight: "Gewicht", tilt: "Neigung", see_tower: "Zum Turm", tell_it: "Sagen, was geschah", tare_scale: "Waage auf null stellen", back: "Zurück", clockwise: "Im Uhrzeigersinn um den Tisch.",
    players: "Spieler", play: "Los", cancel: "Abbrechen", name: "Name", starts: "beginnt", nobody_yet: "Noch niemand",
    no_predecessor: "kein Vorgänger", shows: "zeigt", your_turn: "Am Zug", all_build: "Alle bauen gemeinsam", draw_colours: "Farben werden gelost",
    game_over: "Das Spiel ist aus", waiting: "Wartet auf die erste Nachricht", no_rulings: "Noch keine Entscheidung.", evidence: "Belege",
    no_evidence: "Folgt allein aus den Regeln, ohne eigene Beobachtung.", counts: "zählt", sure: "sicher", picture: "Bild", not_kept: "in der Aufnahme",
    camera: "Kamera", old: "s alt", no_line: "Keine Verbindung. Das Bild ist alt.", silent: "Nichts zu hören. Das Bild ist alt.", leans: "Er neigt sich: {n}°",
    elsewhere: "Diese Seite ist anderswo offen. Zum Weitermachen neu laden.", closed: "Das Programm ist beendet. So stand es zuletzt.",
    wins: "{who} gewinnt", win: "{who} gewinnen", nobody: "Niemand gewinnt", toppled: "Zum Einsturz gebracht von {who}", the_end: "Das Spiel ist aus",
    thin: "dünn", hex: "sechseckig", thick: "dick", point: "Punkt", points: "Punkte", locked: "gesperrt", holder: "Siegel", real: "Echt", stands_in: "Ersatz",
    times: "× Echtzeit", next: "Nächstes Plateau", and: " und ", in_hand: "unruhig", cell_fault: "unbekannt", english: "Deutsch", lost_frames: "{n} Pakete verloren",
    full: "Der Tisch antwortet nicht. Bitte noch einmal.", running: "Läuft gerade", crowded: "Von dieser Adresse sind zu viele Bildschirme offen. Zum Weitermachen neu laden.", code: "Code", code_give: "Mitreden", undo: "Rückgängig",
    code_why: "Diese Seite zeigt nur. Zum Mitreden einmal den Code eingeben, der beim Start im Terminal steht.", names: "Namen", all_rulings: "Alle", lines: "Gewicht und Neigung",
    next_up: "Danach {who}", probably: "wahrscheinlich", revised: "berichtigt", first_neutral: "Zuerst eine neutrale Säule", no_pictures: "Für die Kamerabilder den Code eingeben.", ok: "gut", senses_none: "Niemand sieht zu: Der Spielstand wird getippt.",
    why: { face: "{who} gewinnt: Das Siegel zeigt {face}, und {holder} hielt es und hat die Villa zum Einsturz gebracht.", holder: "{who} gewinnt: {who} hält das Siegel, und {culprit} hat die Villa zum Einsturz gebracht.",
      end: "{who} gewinnt: Niemand kann weiterbauen, und {who} hält das Siegel.", first: "Niemand gewinnt: {culprit} hat die Villa zum Einsturz gebracht, und das Siegel hatte keinen Vorgänger.", none: "Niemand gewinnt: Die Villa fiel, ehe jemand das Siegel hatte." }, loading: "Die Aufnahme wird geöffnet", hears: "sagt",
    ground: "Boden", orange: "Orange", red: "Rot", blue: "Blau", yellow: "Gelb", green: "Grün",
    took_out: "{column} herausgenommen", plateau_laid: "Plateau aufgelegt: {colour}",
    answers: { nothing: "Nichts ist geschehen", collapse: "Einsturz", "something else": "Etwas anderes", none: "Keine davon" },
    states: {"set-up": "Aufbau", settled: "In Ruhe", "hands in": "Hände im Bild", settling: "Beruhigt sich", asking: "Fragt nach", repair: "Wird gerichtet", lost: "Faden verloren", over: "Aus"},
    phases: {set_up: "Alle Säulen kommen auf den Bauplatz", draw: "Das Siegel wird um die Farben gerollt", build: "Eine Säule umsetzen oder das nächste Plateau verlangen", retry: "Es darf mit einer anderen Säule versucht werden", own: "Eine eigene Säule darf umgesetzt werden", proof: "Lässt sich eine andere neutrale Säule umsetzen?", claim: "Zweifelt jemand die Forderung an?", challenge: "Der Zweifler versucht es", penalty: "Eine Säule darf herausgenommen werden", lay: "Das nächste Plateau wird aufgelegt", decision: "Der Tisch entscheidet", over: ""},
    calls: {request: "Nächstes Plateau, bitte", unchallenged: "Kein Zweifel", challenge: "Ich zweifle an", "give up": "Ich gebe auf", abort: "Ich breche ab", "build nothing": "Ich kann nichts bauen", "cannot lay": "Es passt nicht", pass: "Passe", waive: "Keine Strafe", settled: "Es steht"},
    senses: {camera: "Kameras", scale: "Waage", motion: "Bewegung", call: "Zuruf", desk: "Tisch", rules: "Regeln"},
    facts: {stood: "aufgestellt", laid: "aufgelegt", raised: "umgesetzt", aborted: "zurückgestellt", removed: "herausgenommen", collapsed: "Einsturz", incident: "Zwischenfall", knocked: "Stoß", unchanged: "unverändert"},
  },
};

WORDS.en.tell = TELL.en;
WORDS.de.tell = TELL.de;

const ADJECTIVES = { red: "rote", blue: "blaue", yellow: "gelbe", green: "grüne" };
export const FLOORS = ["ground", "blue", "green", "yellow", "orange", "red"];
export const POINTS = { thin: 1, hex: 2, thick: 3 };

export let language = "en";
try { language = localStorage.getItem("language") || ""; } catch { language = ""; }
if (!WORDS[language]) language = (navigator.language || "en").startsWith("de") ? "de" : "en";

export function speak(next) {
  language = next;
  try { localStorage.setItem("language", next); } catch { /* private windows forget, and that is fine */ }
  apply();
}

export function word(key, group) {
  const words = group ? WORDS[language][group] : WORDS[language];
  return words[key] ?? String(key);
}

export function phrase(key, values, group) {
  return word(key, group).replace(/\{(\w+)\}/g, (_, name) => values[name]);
}

// Of a value that carries both languages under these two keys, the one spoken; the other if that is empty. Columns are named as `unnumbered` says.
export function either(value, english = "english", german = "german") {
  return unnumbered((language === "de" ? value[german] || value[english] : value[english] || value[german]) || "");
}

// Which kinds have a locked column among several alike, as "red thin"; true if that has changed.
let locked = [];
export function lock(view) {
  const kind = (one) => `${one.colour} ${one.shape}`, all = [...(view?.tower.columns ?? []).map((one) => one.column), ...(view?.removed ?? [])].map(kind);
  const now = [...new Set((view?.locked ?? []).map(kind))].filter((one) => all.indexOf(one) !== all.lastIndexOf(one)).sort();
  if (now.join() === locked.join()) return false;
  locked = now;
  return true;
}

// Wooden columns bear no numbers: a sentence keeps a column's number only where one of the same colour and shape is locked.
const SHAPES = { thin: "thin", hexagonal: "hex", thick: "thick", dünn: "thin", sechseckig: "hex", dick: "thick" };
const OWNERS = { Rot: "red", Blau: "blue", Gelb: "yellow", Grün: "green" };
function unnumbered(sentence) {
  const kept = (colour, shape) => locked.includes(`${colour} ${SHAPES[shape]}`);
  return sentence
    .replace(/\b(red|blue|yellow|green)('s (thin|hexagonal|thick) column) \d+/gi, (all, colour, rest, shape) => (kept(colour.toLowerCase(), shape) ? all : colour + rest))
    .replace(/((dünn|sechseckig|dick)en? Säule) \d+( von (Rot|Blau|Gelb|Grün))/g, (all, noun, shape, rest, owner) => (kept(OWNERS[owner], shape) ? all : noun + rest));
}

// A column in words. Wooden columns bear no numbers; one is named only where it tells columns apart.
export function column(piece, numbered = true) {
  const number = numbered ? ` ${piece.number}` : "";
  if (language === "de") return `${ADJECTIVES[piece.colour]} ${{ thin: "dünne", hex: "sechseckige", thick: "dicke" }[piece.shape]} Säule${number}`;
  return `${piece.colour} ${word(piece.shape)} column${number}`;
}

// An answer to a question in words: it may name a column (red-thin-2), its removal, a plateau, or be one of a few fixed answers.
export function choice(text) {
  const found = /^(took out )?(red|blue|yellow|green)-(thick|hex|thin)-(\d+)$/.exec(text);
  if (found) {
    const name = column({ colour: found[2], shape: found[3], number: found[4] });
    return { text: found[1] ? phrase("took_out", { column: name }) : name, colour: found[2] };
  }
  const plateau = /^plateau (\w+)$/.exec(text);
  return { text: plateau ? phrase("plateau_laid", { colour: word(plateau[1]) }) : word(text, "answers"), colour: null };
}

export function clock(seconds) {
  const whole = Math.max(0, Math.floor(seconds));
  const hours = Math.floor(whole / 3600), minutes = Math.floor(whole / 60) % 60, rest = String(whole % 60).padStart(2, "0");
  return hours ? `${hours}:${String(minutes).padStart(2, "0")}:${rest}` : `${minutes}:${rest}`;
}

export function decimal(value, digits) {
  const text = value.toFixed(digits).replace("-", "−");
  return language === "de" ? text.replace(".", ",") : text;
}

export function apply() {
  document.documentElement.lang = language;
  for (const node of document.querySelectorAll("[data-word]")) node.textContent = word(node.dataset.word);
  const button = document.getElementById("language");
  if (button) {
    button.textContent = language === "de" ? "EN" : "DE";
    button.setAttribute("aria-label", language === "de" ? "EN: English" : "DE: Deutsch");
  }
}
