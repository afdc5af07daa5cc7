import { leastAge } from '#shared/limits.ts'
import type { PolicyKind } from '#shared/policies.ts'

const terms = `Dies sind die Bedingungen einer Demonstration. Das Unternehmen gibt es nicht, und niemand darf ihm Geld senden. So würde ein Unternehmen seine Bedingungen hier formulieren.

## Wer wir sind

Probity Capital Partners (fiktiv), 1 Sample Street, Sydney NSW 2000, Australien. „Wir“ bezeichnet das Unternehmen, „Sie“ die Person, die ein Konto hat.

## Ihr Konto

- Sie sind mindestens ${leastAge} Jahre alt und eröffnen ein einziges Konto, für sich selbst.
- Behalten Sie Ihr Passwort und Ihren zweiten Faktor für sich. Sperren Sie Ihr Konto sofort, wenn Sie vermuten, dass jemand anderes sie kennt.
- Wir können die Registrierung schließen. Ein Konto, auf dem Geld liegt, schließen wir nicht, ohne das Geld auszuzahlen.

## Einzahlungen und Anlagen

- Sie zahlen mit dem Coin, im Netzwerk und an die Adresse, die wir Ihnen anzeigen, und zwar vor dem angezeigten Zeitpunkt. Was eingeht, schreiben wir zu dem Kurs gut, den wir Ihnen angezeigt haben.
- Sie wählen einen Plan. Sein Prozentsatz ist ein Ziel für die gesamte Laufzeit, kein Versprechen. Sie können Geld verlieren.
- Wir legen Ihr Geld für die Laufzeit des Plans an. Für Sie gilt weiter die Version des Plans, die Sie gewählt haben, was immer wir später ändern.
- Erträge zahlen wir nur aus Erlösen, die wir realisiert und mit Belegen erfasst haben. Wir zahlen sie nie aus Einzahlungen.

## Auszahlungen

- Sie können sich Ihr verfügbares Guthaben jederzeit auf eine eigene Wallet auszahlen lassen. Wir erheben keine Gebühr, und wir verlangen nie eine Zahlung, um eine Auszahlung freizugeben.
- Große Auszahlungen brauchen die Genehmigung von zwei Personen. Für eine neue Adresse kann eine Wartezeit gelten, bevor wir an sie zahlen.

## Die Bücher

Wir führen jedes Guthaben in einem Hauptbuch, das sich nur ergänzen lässt, und veröffentlichen den Nachweis darüber. Sie können ihn prüfen, ohne uns zu fragen.

## Änderungen

Über geänderte Bedingungen informieren wir Sie mindestens vierzehn Tage, bevor sie in Kraft treten. Sie müssen sie nicht akzeptieren, um sich Ihr Geld auszahlen zu lassen.`

const privacy = `Dies ist die Datenschutzerklärung einer Demonstration. Geben Sie keine echten Daten ein.

## Was wir aufbewahren

- Ihren Namen, Ihre E-Mail-Adresse, Ihre Telefonnummer und Ihr Land, um Ihr Konto zu führen.
- Ihre Einzahlungen, Anlagen, Erträge und Auszahlungen, weil die Bücher vollständig sein müssen.
- Ihre Sitzungen und die Geräte, mit denen Sie sich anmelden, um Ihr Konto zu schützen.
- Was Sie uns schreiben, und die Dateien, die Sie mitsenden.

## Was wir veröffentlichen

Wir veröffentlichen unsere Bücher, damit jeder sie prüfen kann. Ihre Transaktionen erscheinen dort mit Tag und Betrag, niemals mit Ihrem Namen. In Ihrem Profil steht, wie wir das machen, und dort können Sie die Verknüpfung mit Ihnen löschen.

## Wer Ihre Daten sieht

Unser Team, jeder nur so viel, wie seine Rolle erfordert. Alles, was das Team tut, hinterlässt eine Zeile in einem Protokoll, das niemand ändern kann.

## Wie lange

Aufzeichnungen über Geld, solange das Gesetz es verlangt. Sitzungen, solange sie bestehen, und noch einige Wochen danach.

## Was Sie von uns verlangen können

Eine Kopie Ihrer Daten, eine Berichtigung und die Löschung von allem, was wir nicht von Gesetzes wegen aufbewahren müssen. Schreiben Sie uns in Ihrem Konto unter „Nachrichten“.`

const risk = `Private Equity ist illiquide und kann den gesamten Wert verlieren. Legen Sie nur Geld an, dessen Verlust Sie sich leisten können.

## Ziele

Der Prozentsatz eines Plans ist das, was wir über die gesamte Laufzeit anstreben. Er ist keine Prognose, und wir schulden Ihnen keinen Ertrag, solange wir keinen Erlös erfasst haben.

## Ihr Geld ist gebunden

Vor dem Ende des Plans können Sie sich das Kapital nicht auszahlen lassen.

## Coins

Der Wert eines Coins ändert sich, während eine Zahlung unterwegs ist. Für eine Zahlung, die rechtzeitig eingeht, legen wir den Kurs fest; eine, die zu spät eingeht, ist so viel wert, wie sie dann wert ist. Eine Zahlung im falschen Netzwerk kann verloren sein.

## Keine Garantie

Keine Einlagensicherung schützt Ihr Guthaben. Werden wir zahlungsunfähig, erhalten Sie es möglicherweise nicht zurück.`

const cookies = `Wir setzen keine Cookies für Werbung und zählen keine Besucher.

- Ein Cookie merkt sich, dass dieser Browser den Startbildschirm gezeigt hat.
- Ein weiteres merkt sich das helle oder dunkle Design, falls Sie eines gewählt haben.
- Nach der Anmeldung speichert Ihr Browser Ihre Sitzung und eine Kopie dessen, was Ihre Übersicht zeigt, damit sie sich schnell öffnet. Wenn Sie sich abmelden, löscht er beides.

Hat das Unternehmen einen Live-Chat eingeschaltet, kann dessen Anbieter eigene Cookies setzen, sobald Sie den Chat öffnen.`

const complaints = `Sagen Sie es zuerst uns: in Ihrem Konto unter „Nachrichten“ oder per E-Mail. Schreiben Sie, was geschehen ist, wann das war und was wir tun sollen.

1. Innerhalb von zwei Arbeitstagen bestätigen wir Ihnen, dass uns Ihre Beschwerde vorliegt.
2. Ein Mitglied unseres Teams, das nicht beteiligt war, geht der Sache nach und schreibt Ihnen innerhalb von fünfzehn Arbeitstagen, wie wir entscheiden und warum.
3. Sind Sie damit nicht einverstanden, verlangen Sie von uns eine zweite Entscheidung; ein Mitglied der Geschäftsleitung trifft sie innerhalb von weiteren fünfzehn Arbeitstagen.

Ein Unternehmen mit Zulassung würde hier die Ombudsstelle oder die Behörde nennen, die danach entscheidet. Dies ist eine Demonstration, und es gibt keine.`

export const germanPolicies: Record<PolicyKind, string> = { terms, privacy, risk, cookies, complaints }
