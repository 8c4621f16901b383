// What the set-up says, in English and German.

import { language } from "./words.js";

const WORDS = {
  en: {
    count: "Step {n} of {of}", back: "Back", next: "Next", need_code: "To set up from here, give the host's code first.", lost: "The program does not answer.",
    have_title: "What do you have?", have_lead: "Each phone sees more. One is enough; with none, every deed is tapped in.",
    phones_0: "No phone", phones_1: "One phone", phones_2: "Two phones", phones_3: "Three phones",
    rung_0: "You tell what happens, the rules are kept.", rung_1: "Raises, plateaus, seal and collapse are seen; hidden columns are asked about.", rung_2: "The same, with fewer questions.", rung_3: "Fewer still: little is hidden from three.",
    print_title: "Print the mat", print_lead: "Six pages. Print at 100 %, without “fit to page”.",
    print_check: "Measure the ruler on a page: from 0 to 100 it must be 100 mm.", ruler: "Measured (mm)", printed: "It is printed", open_a4: "Open the PDF (A4)", open_letter: "Letter instead",
    lay_title: "Lay it out", lay_lead: "Cut from crop mark to crop mark, tape the pages edge to edge from behind, and lay the mat flat. The game's base goes on the printed circle.",
    lay_where: "Stand the phones upright where the drawing shows them, about 90 cm from the middle and 60 cm high, on a stack of books or a tripod.", laid: "It lies",
    connect_title: "Connect the phones", connect_lead: "Scan the code with each phone's camera. The page that opens is the camera; there is no app.",
    lens_title: "Show it the mat", lens_lead: "Take the phone in your hand. Take the base off the mat. Pictures are taken by themselves whenever you hold still.", views: "{n} views", usual: "Skip: take it for a usual phone",
    pose_title: "Stand the phones up", pose_lead: "Lean each phone where it will stay. The drawn tower must be whole in every picture. Put the game's base on its circle, with nothing on it.", empty: "The base is empty",
    colours_title: "Stand all columns on the base", colours_lead: "In any order, none behind another for every phone. Then take your hands away.", stand: "All columns stand",
    plateau_title: "Lay the blue plateau on them", plateau_lead: "As the game begins. Then take your hands away.", lies: "The plateau lies", skip: "Skip",
    check_title: "Does all fit?", check_lead: "The drawn tower shows what each phone will see. This takes a moment.",
    names_title: "Who plays?", names_lead: "Clockwise round the table.", player: "Player {n}", rules: "House rules", play: "Play", beginning: "The game begins …",
    rulebook: "As in the rule book",
  },
  de: {
    count: "Schritt {n} von {of}", back: "Zurück", next: "Weiter", need_code: "Zum Einrichten von hier aus erst den Code der Spielleitung eingeben.", lost: "Das Programm antwortet nicht.",
    have_title: "Was ist da?", have_lead: "Jedes Handy sieht mehr. Eins genügt; ohne wird jede Tat angetippt.",
    phones_0: "Kein Handy", phones_1: "Ein Handy", phones_2: "Zwei Handys", phones_3: "Drei Handys",
    rung_0: "Ihr sagt, was geschieht; die Regeln werden geführt.", rung_1: "Züge, Plateaus, Siegel und Einsturz werden gesehen; nach verdeckten Säulen wird gefragt.", rung_2: "Dasselbe, mit weniger Fragen.", rung_3: "Noch weniger: Dreien ist wenig verborgen.",
    print_title: "Die Unterlage drucken", print_lead: "Sechs Seiten. Mit 100 % drucken, ohne „An Seite anpassen“.",
    print_check: "Das Lineal auf einer Seite nachmessen: Von 0 bis 100 müssen es 100 mm sein.", ruler: "Gemessen (mm)", printed: "Ist gedruckt", open_a4: "PDF öffnen (A4)", open_letter: "Lieber Letter",
    lay_title: "Auslegen", lay_lead: "Von Schnittmarke zu Schnittmarke schneiden, Kante an Kante von hinten zusammenkleben, flach hinlegen. Das Fundament kommt auf den gedruckten Kreis.",
    lay_where: "Die Handys hochkant dorthin stellen, wo sie gezeichnet sind: etwa 90 cm von der Mitte und 60 cm hoch, auf einen Bücherstapel oder ein Stativ.", laid: "Liegt",
    connect_title: "Die Handys verbinden", connect_lead: "Den Code mit der Kamera jedes Handys scannen. Die Seite, die aufgeht, ist die Kamera; eine App braucht es nicht.",
    lens_title: "Die Unterlage zeigen", lens_lead: "Das Handy in die Hand nehmen, das Fundament vom Blatt nehmen. Bilder entstehen von selbst, sobald du stillhältst.", views: "{n} Blicke", usual: "Überspringen: für ein übliches Handy halten",
    pose_title: "Die Handys aufstellen", pose_lead: "Jedes Handy dort anlehnen, wo es bleibt. Der gezeichnete Turm muss überall ganz zu sehen sein. Das leere Fundament auf den Kreis legen.", empty: "Das Fundament ist leer",
    colours_title: "Alle Säulen aufs Fundament", colours_lead: "In beliebiger Reihenfolge, keine für jedes Handy verdeckt. Dann Hände weg.", stand: "Alle Säulen stehen",
    plateau_title: "Das blaue Plateau auflegen", plateau_lead: "Wie zu Beginn des Spiels. Dann Hände weg.", lies: "Das Plateau liegt", skip: "Überspringen",
    check_title: "Passt alles?", check_lead: "Der gezeichnete Turm zeigt, was jedes Handy sehen wird. Das dauert einen Augenblick.",
    names_title: "Wer spielt?", names_lead: "Im Uhrzeigersinn um den Tisch.", player: "Name {n}", rules: "Hausregeln", play: "Los", beginning: "Das Spiel beginnt …",
    rulebook: "Wie in der Spielregel",
  },
};

export const say = (key, values = {}) => (WORDS[language][key] ?? key).replace(/\{(\w+)\}/g, (_, name) => values[name]);
