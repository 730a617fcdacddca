"""Words that are common passwords, alone or with a few digits or symbols around them; lower case, without digits."""

WORDS = """
abcd abcdef abcdefg access accessme account accounting acdc admin adminadmin administrador administrateur
administration administrator admins agent airbus airforce airplane alaska alejandro alert alerts alexander alexandra
alexis alien allah always amazing amazon amen america american amor amore amour andrea andreas andrew android angel
angela angelo angels animal animals anonymous ansible anthony antonia antonio apple apples april archer army arrow
arsenal asdf asdfgh asdfghjkl assassin asshole audi august australia autumn avengers awesome azerty babe baby babyboy
babydoll babygirl bacon bailey banana bananas bank banking barcelona barfoo bart baseball basketball bass bastard
batman bayern bear bears beatles beautiful beer bella benfica benjamin benutzer benvenuto berlin besiktas bestfriend
bestfriends beyonce bible bicycle biden bienvenido bienvenue bigboy bigdaddy bigdick bigdog billionaire biology
birthday bitch bitches black blackie blank blaster blazer blessed blessing blinkoneeightytwo blue blueberry bluebird
bobmarley boca boeing bomber bond bonjour boobs boss bossman boston boxing boyfriend brandon brasil brazil brilliant
britney brittany broadway broncos brooklyn brother brown buddha budget budweiser bugatti bulldog bullet bulls bullseye
bullshit bumblebee bunny burger burrito business buster butter butterfly cadillac california camaro cambridge canada
candy cannon captain caramel carbon carrot casablanca cash casino castle cat catdog cats celtics centos chainsaw
champagne champion champions changeit changeme changemenow changethis charles charlie charlotte cheese cheeseburger
cheetah chelsea chemistry cherry chess chevrolet chevy chewbacca chicago chicken chief china chinese chloe chocolate
chris christ christian christina christine christmas christopher church ciao cigarette cinderella cinnamon cisco
clinton cobra cocacola cocktail coconut cody coffee coldplay college colombia command commander commando company
computer container contrasena control cookie cookies cool coolcat cooldude coolgirl coolguy cooper copper corinthians
corporate corvette cosmos counterstrike cowboy cowboys cowgirl cracker crackme crazy crazyme cricket crossbow crystal
cupcake customer cyber cyberpunk cycling daddy daddysgirl dagger daisy dallas daniel danielle danny darthvader
dashboard database daughter david davide deadpool debian december default defaultpass defaultpassword demo demodemo
demon demouser dennis denver desperado destiny detective detroit deutschland developer development devil devops
diamond diamonds dick dickhead diego discovery disney docker dodge dodgers dog doggie doggy dogs dollar dollars
dolphin dolphins dominic donald donaldduck dontknow dortmund dragon dragonball dragons driver drummer drums ducati
duck dude duke dumbass dumbledore dummy dvorak eagle eagles earth easter edward einstein elastic elasticsearch
elephant elizabeth elvis emerald emily eminem emma energy engineer engineering england english enterprise eric espana
espresso ethan europe everton example examples excalibur excellent facebook faith falcon falcons fall family fantastic
father february fedora fenerbahce ferrari fighter finance finland fish fisherman fishing flamengo florida flower
flowers foobar foobarbaz foobaz football footballer force ford forest forever forevermore forgetit forgot forgotten
fortnite fortune francais france francesco francia francisco freedom freemoney friday friend friends friendship frodo
fuck fucker fucking fuckme fuckoff fuckthis fuckyou funny fussball futbol gabriel gabriela galatasaray galaxy
gameofthrones gandalf gangster garden garfield gecko general genius george german germany ghost gianni giant giants
ginger giovanni giraffe girlfriend github gitlab giuseppe gladiator gmail godfather godzilla goku gold golden
goldeneye goldfinger golf golfer golfing goodbye goodmorning goodnight goofy google gorgeous gorilla governor grace
grafana grape grapes gray greece green greenday grey guest guestguest guestpass guinness guitar guitarist gunner
hacked hacker hackers hacking hackme halflife hallo halloween hallowelt hamburg hammer hammertime hamster handsome
hannah happiness happy happyday happyme hardcore harley harleydavidson harrypotter harvard haslo hawaii hawk heather
heaven heineken hello hellohello hellokitty hellothere helloworld help helpdesk helpme henry hermione hero heroes
history hobbit hockey hogwarts holiday holidays holland hollywood homer honda honey honeybee honeybunny hope horse
horses hotgirl hotmail hotstuff hottie houston huawei hulk hungary hunter hurricane husband hyundai idiot idontcare
idontknow iforgot ilovegod ilovejesus iloveme iloveu iloveyou iloveyousomuch iluvyou impossible india indian indiana
indonesia insect instagram inter internet invoice ipad iphone ireland iremember irish iron ironmaiden ironman isabella
islam israel istanbul italia italy jack jackpot jackson jacob jaguar jake jamaica james jamesbond jamie january japan
japanese jasmine jason jasper javier jedi jeep jeffrey jenkins jennifer jenny jeremy jessica jessie jesus jesuschrist
jetaime joker jonathan jordan joseph joshua juan julia julian july june juniper jurassic justice justin juventus
kangaroo karate karen katherine kathryn katie kawasaki kennedy kevin keyboard kibana killer kimberly king kingdom
kingkong kitten kitty knicks knight koala korea kristina kubernetes labrador ladybug lakers lamborghini lancer laptop
lasagna lasvegas laugh laughing laura lauren leader ledzeppelin legend legends lemon lenovo leonardo leopard letmein
letmeinnow liberty library lightning lily lincoln linda linkedin linkinpark linux lion lionking lions lisa liverpool
lizard loganalysis logboom logger logging login loginlogin logmein logs logsearch logserver lola london lordoftherings
lorem loremipsum losangeles losenord loser lottery louis louise love lovely loveme lover lovers loveyou lucas lucifer
lucky luckyme lucy luis machine machinegun macintosh madison madonna madrid mafia maggie magic magical malaysia
manager manchester mango manhattan manuel manutd march marco maria mariadb mariana marie marijuana marina marine mario
mark marketing marlboro marriage married martin martina mary maserati master masterkey mastermind mathematics maths
matrix matteo matthew maverick max maximilian may mayforce maythefourth mazda megadeth megan melanie melbourne melissa
melon mercedes messi metal metallica mexican mexico miami michael michaela michaeljackson michelle mickey mickeymouse
microsoft midnight miguel milan million millionaire minecraft mission mobile mohammed molly mommy monday money mongo
mongodb monitor monitoring monkey monkeys monster montreal moon moonlight mordor morocco moron moscow motdepasse
mother motorcycle mountain mouse muffin muhammad mummy music musica mustang mylove mypassword mysecret mysql mystery
naked naruto nathan navy netflix network newpassword newton newyear newyork newyorkcity nicholas nicolas nicole ninja
nintendo nirvana nissan nitrogen nobody nokia none noodle nopass nopassword norway notebook nothing november nude null
number numberone obama ocean october office officer official oldpassword oliver olivia opensesame openthedoor openup
operation operator oracle orange oranges orchestra orchid outlaw oxford oxygen packers pakistan palmeiras pamela
pancake panda panther paris parola passpass passphrase passwd password passwort pasta patricia patrick patriots paul
paula paycheck paypal peace peach peaches pearl pedro penguin penis pepper peppermint pepsi perfect perfection peter
pets philadelphia philip philippines phoenix physics piano pikachu pineapple pink pinkfloyd pirate pirates pistol
pizza placeholder planet platinum playboy playstation pleasechange pokemon poker poland police polska pony poodle porn
pornstar porsche portland porto portugal postgres postgresql postmaster potato potter power powerful powers praise
predator president pretty prince princess princeton printer privacy private production professor project prometheus
protect protected puma pumpkin puppy purple pussy putin python qazwsx qazwsxedc queen qwerty qwertyuiop qwertz rabbit
racecar rachel racing radiohead raiders rainbow ranger raspberry raven raymond realmadrid rebecca red redbull redhat
redis redrose redskins redsox remember rememberme retriever ricardo rich richard richie rihanna riodejaneiro river
robert roberto robin roblox rocket rocknroll rocky roger rollingstones roma rome ronald ronaldinho ronaldo rooster
root rootpass rootroot rose rosemary roses rottweiler ruby rugby runner running russia russian rusty ryan sadie safe
safety salary salmon sam samantha sammy sample samsung samuel samurai sandbox sandra sapphire sarah sasuke satan
saturday sausage saxophone scarface schalke school science scorpion scotland scott sea seattle sebastian secret
secretproject secrets secure secured security senha september sergio server service sex sexy sexyboy sexygirl sexyme
shadow shadows shakira shark sharks sharon shepherd sheriff shit shithead shooter shotgun sifre signin silver simon
simpsons singapore sister skateboard skater skeleton skywalker slipknot smile smiley smiling smokey snake sniper
snoopdogg snoopy snowball snowboard snowflake snowman soccer soldier sonic sophia sophie spaceship spaghetti spain
spanish spartan special spider spiderman splunk spring squirrel staging stallion stanford star starcraft stardust
starlight stars startrek starwars steak steel steelers stefan stefanie stephanie stephen steven storm strawberry
strength strong student students stupid subaru submarine sucker suckme sugar summer sunday sunflower sunny sunrise
sunset sunshine superadmin superhero superman supersecret superuser supervisor support surfer surfing susan sushi
suzuki sweden sweet sweetheart sweetie sweety swimmer swimming switzerland sword sydney sysadmin taco tacos target
taylor tea teacher teamo teddybear telefon telephone temp tempo temporary temppass temppassword tennis tequiero
tequila teresa terminator terraform test testaccount tested tester testing testpass testpassword tests testtest
testuser tetris texas thailand thepassword theresa thomas thor thunder thursday tiger tigers tigger timothy tinkerbell
titan titanic titanium titans tits toby together tokyo tomato toor topsecret tornado toronto toshiba tottenham toyota
trident trojan trucker truelove trump trumpet trustno trustnoone truth tuesday tulip tupac turkey turkiye turtle
twitter tyler ubuntu ukraine undefined unicorn unique united universe university unknown user username userpass users
usuario utente vacation vagrant valentina valeria vampire vancouver vanessa vanilla vegeta veronica victor victoria
victory vietnam viking vincent violet violin viper virginia vodka voldemort volkswagen volleyball voyager wachtwoord
warcraft warrior warriors wasd washington water watermelon wealth weapon weather webmaster wedding wednesday weekend
welcome welcomeback whale whatever whatsapp whiskey whisky white whocares wife william willkommen windows wine winner
winners winter witch wizard wolf wolfgang wolverine wolves wonderful world worldofwarcraft wrestling xavier xbox xmas
yahoo yale yamaha yankees yellow yoda yourpassword youtube zachary zebra zelda zoe zombie zxcvbn zxcvbnm
"""
COMMON_WORDS = frozenset(WORDS.split())
