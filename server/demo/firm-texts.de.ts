import type { TranslatedTexts } from '#shared/contract/firm-texts.ts'

export const germanTexts: TranslatedTexts = {
  heading: 'Private Equity mit Büchern, die Sie prüfen können',
  introduction: 'Wir investieren in operativ tätige Unternehmen und in Immobilien.',
  footerLine: 'Ein Unternehmen, dessen Bücher die Anleger prüfen können.',
  description:
    'Private Equity mit Büchern, die Anleger prüfen können: doppelte Buchführung, nur ergänzbar, auf den Cent genau. Jeder Ertrag nennt seinen Erlös.',
  teaserHeading: 'Ein altes Geschäft mit offenen Büchern',
  teaser: [
    'Probity tut eines: in Unternehmen investieren, die Geld verdienen, ihnen helfen, mehr zu verdienen, und die Erlöse mit den Menschen teilen, die sie finanziert haben.',
    'Anleger brauchen kein weiteres Versprechen. Sie brauchen eine Möglichkeit, das letzte zu prüfen. Deshalb haben wir das Unternehmen um seine Bücher herum gebaut und sie geöffnet.',
  ].join('\n\n'),
  aboutHeading: 'Eine Private-Equity-Gesellschaft, die ihren Rechenweg zeigt',
  aboutLead:
    'Probity investiert in operativ tätige Unternehmen und in Immobilien, für Menschen, die wissen wollen, woher ein Erlös kommt.',
  storyHeading: 'Die meisten bitten um Vertrauen. Wir werden lieber geprüft',
  story: [
    'Private Equity dauert Jahre und berichtet wenig: Geld geht hinein, eine Zahl kommt heraus, und was dazwischen geschah, ist Glaubenssache.',
    'Wir halten fest, was dazwischen geschieht. Ein Erlös besteht hier erst, wenn er erzielt und erfasst ist: wie viel, woraus, an welchem Tag und mit welchem Beleg. Erträge zahlen wir aus diesen Aufzeichnungen und aus nichts anderem. So kann die Einzahlung eines Anlegers nie der Gewinn eines anderen sein.',
    'Deshalb versprechen wir langsamer und sind leichter zu prüfen. Wir halten das für die richtige Reihenfolge.',
  ].join('\n\n'),
  values: [
    {
      title: 'Eine Kultur der Integrität',
      text: 'Wir sagen, was wir wissen, was wir anstreben und was wir nicht wissen, und halten die drei auseinander.',
    },
    {
      title: 'Wer das Geschäft führt, kommt zuerst',
      text: 'Unternehmen werden von den Menschen gemacht, die sie führen. Wir unterstützen sie, stellen harte Fragen und stehen nicht im Weg.',
    },
    {
      title: 'Anleger mit klarem Schwerpunkt',
      text: 'Drei Segmente, die wir gut kennen. Tiefe ist der einzige Vorteil, den man nicht kurzfristig kaufen kann.',
    },
    {
      title: 'Der untere Mittelstand',
      text: 'Unternehmen, die für die großen Fonds zu klein und zum Übersehen zu gut sind. Dort sind die Preise noch fair.',
    },
  ],
  services: [
    {
      title: 'Fachkundige Begleitung',
      text: 'Persönliche Planung: wie viel, wie lange und wofür, mit jemandem, der Ihnen auch sagt, wann Sie nicht anlegen sollten.',
    },
    {
      title: 'Vielfältige Anlagemöglichkeiten',
      text: 'Anlagepläne für Technologie, Immobilien und den Ruhestand, vom ersten Schritt bis zu den Ersparnissen einer Familie.',
    },
    {
      title: 'Nachvollziehbare Entwicklung',
      text: 'Ihre Übersicht und Ihr Kontoauszug kommen aus demselben Hauptbuch, das wir verwenden, auf den Cent und auf die Minute genau.',
    },
  ],
  sectorsHeading: 'Drei Branchen, die wir gut kennen',
  sectorsLead: 'Wir verpassen lieber eine Mode, als zu kaufen, was wir nicht beurteilen können.',
  servicesLead:
    'Drei Felder und in jedem dieselbe Frage: Was wurde erwirtschaftet, von wem, und welcher Beleg weist es nach?',
  sectors: [
    {
      title: 'Informationstechnologie',
      brief:
        'Software und Dienste, für die Unternehmen jeden Monat zahlen und die ihnen schon am nächsten Morgen fehlen würden.',
      text: 'Die Unternehmen, die wir suchen, stehen selten in der Zeitung. Sie planen Lastwagen ein, begleichen Rechnungen und führen Akten für unscheinbare Branchen. Ihre Kunden verlängern, weil ein Wechsel mehr kosten würde als zu bleiben.',
      seek: [
        'Wiederkehrende Umsätze und Kunden, die bleiben',
        'Gründer, die noch mit ihren Kunden sprechen',
        'Wachstum, das das Unternehmen selbst verdient',
      ],
      avoid: [
        'Unternehmen, die ohne die nächste Finanzierungsrunde nicht überleben',
        'Abhängigkeit von einem einzigen Kunden',
      ],
      evidence: 'Ausschüttungsmitteilungen und Bankbestätigungen über die Zahlungen eines Unternehmens.',
    },
    {
      title: 'Immobilien',
      brief: 'Gebäude mit Mietern: Leichtindustrie, kleine Büros und Mietwohnungen.',
      text: 'Miete ist ein Erlös, der jeden Monat eingeht und den wir jedem zeigen können, der fragt. Wir sehen uns den Mietvertrag vor dem Gebäude an und den Mieter vor dem Mietvertrag.',
      seek: [
        'Mieter im Haus, deren Verträge noch Jahre laufen',
        'Reparaturen, deren Kosten vor dem Kauf feststehen',
        'Straßen, in denen der nächste Mieter leicht zu finden ist',
      ],
      avoid: ['Preise, die nur ein höherer Preis rechtfertigen könnte', 'Baustellen'],
      evidence: 'Eingegangene Miete nach Abzug der Kosten und Abrechnungen über Verkäufe.',
    },
    {
      title: 'Pläne für den Ruhestand',
      brief: 'Pläne über Jahre statt Wochen, für Geld, das da sein muss, wenn Sie aufhören zu arbeiten.',
      text: 'Ein langer Zeitraum verzeiht ein schlechtes Quartal und bestraft eine schlechte Gewohnheit. Deshalb schreiben wir den Plan auf, bevor der erste Dollar fließt: wie viel, wie lange und was uns dazu brächte, ihn zu ändern.',
      seek: [
        'Beteiligungen, verteilt auf die beiden anderen Branchen',
        'Kosten, die im Voraus bekannt sind',
        'Ein Tempo, das zu dem Jahr passt, in dem Sie aufhören zu arbeiten',
      ],
      avoid: ['Alles, was in Eile verkauft werden müsste', 'Ziele, die nur ein gutes Jahr erreichen würde'],
      evidence: 'Die Erlöse der Beteiligungen, jeder dort erfasst, wo er erzielt wurde.',
    },
  ],
  processLead: 'Persönliche Planung am Anfang, nachvollziehbare Entwicklung auf dem ganzen Weg.',
  questions: [
    {
      title: 'Wann wird meine Einzahlung gutgeschrieben?',
      text: 'Eine Zahlung an eine eigene Adresse wird gutgeschrieben, sobald ihr Netzwerk sie oft genug bestätigt hat: Ihre Seite zählt die Bestätigungen. Eine Zahlung an eine feste Adresse wird gutgeschrieben, sobald unser Team sie geprüft hat. Gutgeschrieben wird nur, was eingegangen ist.',
    },
    {
      title: 'Was passiert, wenn ich zu wenig, zu viel oder zu spät zahle?',
      text: 'Ihre Zahlung ist nicht verloren. Die Seite der Einzahlung sagt, was eingegangen ist und was Sie tun können. Eine rechtzeitige Zahlung behält den festgelegten Kurs; für eine verspätete gilt der Kurs bei ihrem Eingang.',
    },
    {
      title: 'Was bedeutet das Ziel eines Plans?',
      text: 'Was wir für den Betrag über die gesamte Laufzeit anstreben, einfach und ohne Zinseszins gerechnet. Es ist kein Zins und kein Versprechen. Erzielen wir weniger, erhalten Sie weniger oder nichts.',
    },
    {
      title: 'Woher kommen meine Erträge?',
      text: 'Aus Erlösen, die wir erzielt und erfasst haben, und aus nichts anderem. Unsere Bücher weisen einen Ertrag ab, den kein erfasster Erlös deckt. Sie können den Beleg jedes Erlöses sehen; dass er wahr ist, können die Bücher nicht beweisen.',
    },
    {
      title: 'Kann ich sehen, woraus ein Ertrag gezahlt wurde?',
      text: 'Ja. Öffnen Sie den Ertrag in Ihrer Übersicht: Er nennt den Erlös, aus dem er gezahlt wurde, den Tag und den Beleg, den Sie speichern oder aufrufen können.',
    },
    {
      title: 'Wie prüfe ich Ihre Bücher?',
      text: 'Wir unterschreiben und veröffentlichen sie jeden Tag. Die Seite „Prüfen Sie unsere Bücher selbst“ sagt, wie jeder sie prüfen kann und was das nicht beweist. Ihr Kontoauszug prüft Ihre eigenen Buchungen in Ihrem Browser.',
    },
    {
      title: 'Wie lange dauert eine Auszahlung?',
      text: 'Jede wird von einem Menschen genehmigt, eine große zusätzlich von einem zweiten. Dann zahlen wir sie aus einer Wallet, über die diese Website nicht verfügen kann. Die Seite „Geld auszahlen“ zeigt, wie lange die letzten gedauert haben, sobald es genug davon gibt.',
    },
    {
      title: 'Werden Sie jemals vor einer Auszahlung eine Zahlung verlangen?',
      text: 'Nein: keine Gebühr, keine Steuer, keine Einzahlung. Wer in unserem Namen eine verlangt, ist ein Betrüger. Bitte melden Sie es uns.',
    },
    {
      title: 'Kann ich eine Anfrage zurückziehen?',
      text: 'Ja, solange sie aussteht: eine nicht bezahlte Einzahlung, eine Anlage oder eine Auszahlung. Was zurückgestellt war, ist dann wieder verfügbar.',
    },
    {
      title: 'Ich habe mein Telefon verloren. Wie komme ich in mein Konto?',
      text: 'Verwenden Sie einen der Wiederherstellungscodes, die Sie gespeichert haben, oder einen Passkey. Haben Sie beides nicht, schreiben Sie uns. Zwei unserer Administratoren müssen einem Zurücksetzen zustimmen, und wir schreiben Ihnen per E-Mail, bevor es wirksam wird, damit Sie widersprechen können.',
    },
    {
      title: 'Wie schnell lassen sich Ihre Beteiligungen verkaufen?',
      text: 'Nicht schnell: Private Equity ist illiquide. Legen Sie nur Geld an, das für die gesamte Laufzeit angelegt bleiben kann.',
    },
    {
      title: 'Stehen Sie unter Aufsicht?',
      text: 'Nein. Dies ist ein erfundenes Unternehmen zur Demonstration. Es hat von keiner Behörde eine Zulassung und untersteht keiner Aufsicht.',
    },
  ],
  contactLead: 'Fragen Sie, bevor Sie anlegen. Ein Mensch liest Ihre Nachricht und antwortet.',
  unregulatedStatement:
    'Ein erfundenes Unternehmen zur Demonstration. Es hat von keiner Behörde eine Zulassung und untersteht keiner Aufsicht.',
  jurisdictions: 'Keine: Dies ist eine Demonstration',
  riskStatement:
    'Private Equity ist illiquide und kann den gesamten Wert verlieren. Legen Sie nur Geld an, dessen Verlust Sie sich leisten können.',
}
