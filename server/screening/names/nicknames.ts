import { folded } from './likeness.ts'

/** Names that one person may bear by turns, a group on each line: the full forms and the familiar ones, in any language. */
const groups = `
alexander aleksandr alexandre alejandro alessandro aleksander oleksandr aliaksandr alex sasha sascha sanya shura xander sandro alekos aleks alik lex alejo sandor sasho aco aleko sanja aleksa iskander eskandar shurik
alexandra aleksandra oleksandra alejandra alessandra sasha sandra
alexei aleksei alexey oleksii aleksej alyosha lyosha aljosa lyokha aliaksei alexis
anastasia anastasiya nastya nastia stacy nastja asya stasya
andrew andrei andrey andrii andrzej andre andreas andres drew andy andriy ondrej andrija andrij ondra andris andras bandi anders
anna anne ann anja anya annie hanna hannah ania anita anka anushka anica annika anneke nyura
anthony antonio anton antoni antoine tony toni antonin antonios nino tonino antonino toninho toncho tonio antal ante toncsi antek
arthur artur art
artem artyom tyoma artemy artiom
basil vasily vasili vasyl vasiliy vasya vasilis vassilis wassily vasko vasil vasile vasilios vaso
benjamin ben benny binyamin beni benito benek veniamin
boris borya borko
carl karl charles carlos carlo charlie chuck karol karel karcsi karoly carlito carlitos charly carlinhos kalle
catherine katherine ekaterina yekaterina kateryna katerina katya kate kathy katarina catalina cathy katarzyna kasia katica karin karen kitty katalin
christopher chris cristobal krzysztof christoph kristof topher hristo christo kristo
daniel dan danny danilo danylo danila danil danya danik danijel danek daniele
david dave davit daud dawood dawud
dmitry dmitri dmitriy dmytro dima mitya dimitri dimitrios dimitris mitja dimka dimo dimitar mitko
edward eduard eduardo ed eddie ted teddy edvard edik edu duda edo nando
elena yelena olena helen helena lena ilona alena lenka jelena alyona eleni
elizabeth elisabeth yelizaveta elizaveta liz lisa liza betty beth elisa isabel isabella elizabet liesel lieselotte elsa else erzsebet elspeth bettina isabelle eliza
emmanuel manuel manolo manny emanuele immanuel manu manolito
eugene evgeny yevgeny yevgeniy evgenii evgeniy yevhen zhenya eugenio ievgen zhenja zenya yauhen eugen
francis francisco franz frank francesco pancho paco frantisek ferenc francois franjo kiko feri franek franta franja chico franc ferko ciccio
frederick friedrich fred fritz federico freddy fryderyk frederic frederik federigo freddie frits
gabriel gabriele gavriil gabi gabor gavrilo gavro jibril djibril
george georgy georgiy georgi jorge giorgio juergen jurgen yuri yury yuriy iurii heorhii jerzy jiri georgios giorgi juri gosha jorgos jure juraj djordje gyorgy gyuri jorg joerg georges egor yegor jordi gio
gregory grigory grigori grigoriy hryhorii greg grisha gregorio grzegorz gregor gregoire grega grigor
gennady gennadi gennadiy hennadii gena
henry heinrich henri enrique enrico harry hank heinz hendrik henryk heini heiner enzo rico quique kike
ignatius ignacio nacho ignacy inaki ignace ignazio ignat
igor ihor
ilya ilia illia elias elijah eli ilyas ilias ilyusha ilja ilija elia
irina iryna irena irene ira irinka
ivan john johann johannes jean juan giovanni joao jan hans ioan yohan jack johnny vanya ian sean ioannis yannis giannis janos jovan yahya yuhanna ivo juanito jancsi jani honza jano janek janusz jovo vano ivica jens johan hansi juancho gianni nino evan
jacob james jakob iakov yakov diego jaime giacomo jacques jim jimmy jamie jakub santiago jake yaqub tiago iago jaap jakov jago jacobus kobus yasha jacopo
jesus chucho chuy
joachim joaquin joakim jochen achim gioacchino
joseph jose yosef josef giuseppe joe pepe iosif josip osip yusuf yousef beppe youssef yusif joao pepito sepp jupp jozef jozsef joska pepa pepik pepi beppo peppino joey jozo yossi pino
julia yulia yuliya iuliia juliana julka juliette giulia
konstantin constantine kostya constantin kostiantyn konstantinos kostas kosta kostadin dinos costa kostik
larisa larysa lara
lawrence laurence lorenzo laurent larry lavrentiy lorenz lars renzo laurens lasse
leonid leonidas lyonya
leo lev lion leon
louis luis ludwig luigi lewis lou lajos ludovico luisito aloysius ludovic lodewijk
lyudmila ludmila liudmyla lyuda mila
marc mark marco marcos markus marcus marek
margaret margarita rita maggie peggy greta gretchen margarete malgorzata gosia meg margot marge margherita gretel
maria mary marie mariya masha maryam miriam mariam marija mariechen mitzi marika maruja mari marusya manya molly marieke
martha marta marfa
matthew matteo mateo matthias matvey matvei matt matthieu mateusz matias matej matyas mate mats mathieu mattia
maxim maksim maksym max maxime maximilian massimo
michael mikhail mykhailo miguel michel michele mike misha michal mihai mihail mikael mick mickey mischa mykhaylo mihajlo mikal mihaly misi michalis mihalis mitja miso michail misko micha mikko mikel
muhammad mohammed mohamed mohammad muhammed mehmet mohd mohamad muhamad mamadou mahomet magomed mamadu mhd mohammod mohamud magomet mukhamed muhammet
nadezhda nadiya nadia nadya
natalia natalya nataliya natasha nathalie natalka natasa talia nata
nicholas nikolai nikolay mykola nicolas nick kolya niko nikola klaus nicola mikolaj nico nikolaos nikos claus colin miklos miki nicu nicky kolja nicolo
oleg oleh
olga olha olya olenka
patrick pat paddy patricio
paul pavel pablo paolo pavlo pasha paulo pal pavle pali pavol pavlos paulus
peter pyotr petr petro pedro pietro pierre pete piotr petya petar pjotr boutros petros pere pero perica petko petrus peti
philip philipp filip felipe philippe phil filipp filippo pippo filipe
rafael raphael rafal raffaele rafa rafi
raymond ramon raimundo ray raimund mondo
rebecca becky rivka
richard ricardo riccardo dick rick rich ricky ryszard rikard richie
robert roberto rob bob bobby robbie rupert robi robin ruprecht
rodion rodya
roman romain roma
ronald ron ronnie
samuel sam samuil sammy shmuel samvel samo sami samy
sergei sergey sergiy serhii serge sergio seryozha serhiy siarhei sergej serega serhij sergiu
simon semyon simeon semen shimon szymon
sophia sofia sofya sophie sonya sonia zsofia zofia
stanislav stas stanislaw stanislaus slava stanko stach stane
stephen steven stefan stepan esteban steve etienne stefano istvan stjepan szczepan stepanos pista pisti stefanos estevao stevan stevo steffen
susan susanne suzanne sue susana zuzana zsuzsa zsuzsanna susi
svetlana svitlana sveta lana ceca
sviatoslav svyatoslav slava
tatiana tatyana tetiana tanya tania tanja tanechka
thomas tomas tom tommy tomasz foma tommaso tomek tomislav tamas tomo tomaz
theodore fyodor fedor theodor fedya teodoro fiodor fjodor todor teo tivadar fedir
timothy timofey tim timofei tymofii
vadim vadym
valentin valentyn valya
valery valeriy valerii valeri valera
veronica veronika nika
victor viktor vitya vittorio vitek viktoras
vincent vicente vincenzo vinny vinko chente
vitaly vitali vitaliy vitalii vitalik
vladimir volodymyr vova volodya wladimir uladzimir vladimiro wlodzimierz vlado volodja vovka vladko vladi
vladislav vladyslav vlad uladzislau wladyslaw vladik vladek slava laszlo laci
vyacheslav viacheslav slava vaceslav slavik vaclav waclaw wenzel
walter valter walt gualtiero
william bill billy will guillermo wilhelm guillaume willy liam guglielmo willem vilmos wim guilherme
yaroslav jaroslav iaroslav jaroslaw slava yarik jarek slavko
zachary zach zakhar zechariah zakaria
abraham avraham ibrahim abram avi ebrahim braheem brahim ibro braham
moses musa moshe moussa mousa moises moise moishe
solomon sulaiman suleiman soliman salomon shlomo sulayman suleyman sulejman soleyman souleymane solaiman
joshua yehoshua josh
isaac yitzhak ishaq itzhak ishak
aaron haroun harun
job ayub ayoub
noah nuh
abubakar abubakr boubacar bakr aboubakar
ahmad ahmed achmed akhmed hamada akhmad ahmet amadou ahmadou
fatima fatma fatemeh fatoumata fatimah fatemah fatou
khadija hatice kadidia
aisha ayesha aicha aysha ayse aishah
hussein husayn hossein husain huseyin hocine houssein husein hossain hussain hosein housein houssain
hassan hasan hacene hacen hassane assan khasan
ali aly
osman uthman othman usman ousmane
omar umar omer oumar
yusra yousra
jose-maria chema
concepcion concha conchita
dolores lola
guadalupe lupe lupita
rosario charo
enrique quique kike
roberto beto
rodrigo rodri
gonzalo gonzo
sebastian seba bastian basti bastien sebastiao sebastien
leopold poldi
ferdinand fernando nando hernando
antonia toni tonia
barbara varvara babs basia
magdalena magda lena
eva ewa eve
deborah debbie debra
jennifer jenny jen
katharina kathe kati
kenneth ken kenny
lucas luke luka lukas lukasz luca
nathan nathaniel nate natan
oliver ollie olivier
pamela pam
ruslan rus
rustam rustem
stephanie stefania steffi
teresa theresa terry tereza resi terka
ursula uschi
zinaida zina
cornelius kees cornelis kornel cor corneille
ulrich uli ueli ulrik
wojciech wojtek adalbert vojtech vojta
jadwiga hedwig hedy jadzia
gerhard gerd gert gerardo gerard gerrit
bernhard bernd bernard bernardo benno
wolfgang wolf wolfi
dieter dietrich dirk dietmar
rudolf rudi rudolph rolf rodolfo
ralf ralph raoul raul rolf
adolf adolfo dolf
alfred alfredo fredi alf fredo
alphonse alfonso alfons poncho
gustav gustavo gus
albert alberto bert beto berto albrecht
hermann herman armando
conrad konrad kurt curt
leonard leonardo lennart leo nardo
reinhold reinhard reiner rainer
sigmund siegmund sigi zygmunt sigismund
manfred manni
matilda mathilde tilda tilly
gertrude trude gerda trudi
johanna hanna hanne joanna juana jana giovanna jeanne joan
dorothea dorothy dora thea dorota dorotea
francesca francisca franziska fanny paquita francoise
josephine josefina pepita fina giuseppina
carolina caroline karolina lina
christina kristina cristina tina christine krystyna
agnes ines agnieszka inez
lyubov liubov lyuba luba
galina halyna galya halina
raisa raya
tamara toma tamar
polina paulina pauline pelageya polya
ladislaus ladislav laszlo laci wladyslaw
zoltan zoli
gyula julius julio jules giulio
imre emeric emerico
bogdan bohdan
bozidar bosko
dragan gaga
dusan dule
miodrag misa
miroslav miro mirko mirek slavko
slobodan sloba boban
yordan jordan dancho giordano
todor tosho
atanas athanasios nasko thanasis
panagiotis takis panos
spyridon spyros spiros
evangelos vangelis
charalambos haralambos babis
anastasios tasos
efstathios stathis
eleftherios lefteris
emmanouil manolis manos
guillermo memo guille
salvador chava salva salvatore
consuelo chelo
mercedes merche meche
gaspar caspar kaspar jasper
ernesto ernest ernst neto
domingo dominic dominik dominique domenico
gilberto beto gil gilbert
norberto beto norbert
humberto beto umberto
jamal gamal djamal jamel djamel gamel
jafar jaafar gafar djafar jafer cafer
jalal galal djalal celal
jamil gamil djamil cemil
jabir gabir djaber jaber gaber
juma jumaa gomaa djouma cuma
qasim kassem gassem qassem kasim ghassem kasem
saif seif sayf seyf
tariq tarek tarik tareq
walid oualid waleed
yahya yehia yahia
ghulam gholam golam qolam gulam
mehdi mahdi
mustafa mostafa moustapha mustapha
mahmud mahmoud mahmut mehmood mahmood makhmud
masud massoud masoud masood mesut
nasr naser nasser nassir nasir
ramadan ramzan ramazan romdhane
riza reza rida ridha
sharif cherif shareef sherif
usama osama oussama
ismail ismael esmail smail
idris driss edris
hisham hicham hesham
najib nagib nadjib naguib
xavier javier xabier ksawery xaver
zbigniew zbyszek zbynek
kazimierz kazik casimir
tadeusz tadek thaddeus
slawomir slawek
grzegorz grzesiek
magdalena magda madeleine lena
mordechai motti mordecai
menachem mendel menahem
yitzhak itzik icchak
zvi hirsch tzvi
chaim haim
yehuda judah yuda
reuven ruben rubin
`

const byName = new Map<string, number[]>()
for (const [group, line] of groups.trim().split('\n').entries()) {
  for (const name of line.split(/[\s-]+/)) {
    const fold = folded(name)
    byName.set(fold, [...(byName.get(fold) ?? []), group])
  }
}

/** Folded names by group. */
const byGroup = new Map<number, string[]>()
for (const [fold, of] of byName)
  for (const group of of) byGroup.set(group, [...(byGroup.get(group) ?? []), fold])

/** True if both are names that we know, and no one bears them by turns: Hassan is not Hussein. */
export function areOthers(one: string, other: string): boolean {
  const mine = byName.get(one)
  const its = byName.get(other)
  return mine !== undefined && its !== undefined && !mine.some(group => its.includes(group))
}

/** True of a folded name that the table has. */
export function hasOtherForms(fold: string): boolean {
  return byName.has(fold)
}

/** Other forms of a folded name. */
export function otherForms(fold: string): readonly string[] {
  return (byName.get(fold) ?? []).flatMap(group => byGroup.get(group)!).filter(form => form !== fold)
}
