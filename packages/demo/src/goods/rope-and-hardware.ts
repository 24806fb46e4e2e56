import { type Shelf, sizes } from './item.ts'

const LENGTHS = sizes('10 m', ['25 m', 1400], ['50 m', 3200])

export const ropeAndHardware: Shelf = {
  id: 'rope-and-hardware',
  name: 'Rope and hardware',
  description: 'Rope by the metre, and what holds it: shackles, cleats and blocks that have been tested at sea.',
  german: {
    name: 'Tauwerk und Beschläge',
    description: 'Tauwerk nach Metern und was es hält: Schäkel, Klampen und Blöcke, auf See geprüft.',
  },
  items: [
    {
      name: 'Three-Strand Manila Rope',
      motif: 'rope',
      usd: 2200,
      eur: 2400,
      material: 'Manila hemp, 12 mm',
      description:
        'Laid on a rope walk a hundred and twenty metres long, by people who have done it all their lives. Smells of tar and hay, holds a knot, and softens with use.',
      german: {
        name: 'Manilatau, dreischäftig',
        material: 'Manilahanf, 12 mm',
        description:
          'Geschlagen auf einer Reeperbahn von hundertzwanzig Metern, von Leuten, die das ihr Leben lang tun. Riecht nach Teer und Heu, hält den Knoten und wird mit der Zeit weicher.',
      },
      tags: ['handmade'],
      colours: ['natural'],
      sizes: LENGTHS,
      sizeName: 'Length',
      demand: 3,
    },
    {
      name: 'Cotton Deck Line',
      motif: 'rope',
      usd: 1800,
      eur: 2000,
      material: 'Cotton, 8 mm',
      description: 'A soft braided line that is kind to hands. For curtains, swings, banisters and, of course, boats.',
      german: {
        name: 'Decksleine aus Baumwolle',
        material: 'Baumwolle, 8 mm',
        description:
          'Eine weiche, geflochtene Leine, die die Hände schont. Für Vorhänge, Schaukeln, Geländer und natürlich für Boote.',
      },
      colours: ['white', 'navy', 'red'],
      sizes: sizes('10 m', ['25 m', 1400]),
      sizeName: 'Length',
      demand: 2,
    },
    {
      name: 'Bow Shackle',
      motif: 'shackle',
      usd: 1400,
      eur: 1500,
      material: 'Forged steel, galvanised',
      description: 'Drop-forged and tested to six times its rated load. The captive pin cannot fall overboard.',
      german: {
        name: 'Bügelschäkel',
        material: 'Geschmiedeter Stahl, verzinkt',
        description:
          'Im Gesenk geschmiedet und mit der sechsfachen Nennlast geprüft. Der gesicherte Bolzen kann nicht über Bord gehen.',
      },
      colours: ['steel', 'black'],
      sizes: sizes('8 mm', ['10 mm', 400], ['12 mm', 900]),
      demand: 2,
    },
    {
      name: 'Brass Snap Shackle',
      motif: 'shackle',
      usd: 2600,
      eur: 2800,
      material: 'Cast brass',
      description:
        'Opens with a pull on the ring, even under load and with gloves on. Also a fine clasp for a heavy bag.',
      german: {
        name: 'Schnappschäkel aus Messing',
        material: 'Messingguss',
        description:
          'Öffnet sich mit einem Zug am Ring, auch unter Last und mit Handschuhen. Auch ein schöner Verschluss für eine schwere Tasche.',
      },
      colours: ['brass'],
      low: ['brass'],
    },
    {
      name: 'Boathouse Hooks',
      motif: 'hooks',
      usd: 4800,
      eur: 5200,
      material: 'Cast iron, oak',
      description: 'Three cast hooks on an oiled oak board, ready to take wet coats. Screws and plugs are in the box.',
      german: {
        name: 'Bootshaushaken',
        material: 'Gusseisen, Eiche',
        description:
          'Drei gegossene Haken auf einem geölten Eichenbrett, bereit für nasse Mäntel. Schrauben und Dübel liegen bei.',
      },
      colours: ['black', 'brass', 'white'],
      demand: 3,
    },
    {
      name: 'Dock Cleat',
      motif: 'cleat',
      usd: 3200,
      eur: 3500,
      material: 'Cast bronze',
      description:
        'Made for mooring a dinghy, bought mostly for hanging towels and blinds. Takes four countersunk screws.',
      german: {
        name: 'Belegklampe',
        material: 'Bronzeguss',
        description:
          'Gemacht, um ein Dingi festzumachen, gekauft meist für Handtücher und Rollos. Braucht vier Senkkopfschrauben.',
      },
      colours: ['brass', 'slate'],
      sizes: sizes('15 cm', ['20 cm', 900]),
    },
    {
      name: 'Single Ash Block',
      motif: 'pulley',
      usd: 5600,
      eur: 6000,
      material: 'Ash, bronze sheave',
      description:
        'A traditional block with a sheave that runs without a sound. Each shell is shaped by hand, so no two are quite the same.',
      german: {
        name: 'Einscheibenblock aus Esche',
        material: 'Esche, Bronzescheibe',
        description:
          'Ein klassischer Block, dessen Scheibe lautlos läuft. Jedes Gehäuse ist von Hand geformt, deshalb gleicht keines ganz dem anderen.',
      },
      tags: ['handmade'],
      colours: ['brass', 'charcoal'],
      low: ['charcoal'],
    },
    {
      name: 'Locking Carabiner',
      motif: 'carabiner',
      usd: 1200,
      eur: 1300,
      material: 'Anodised aluminium',
      description: 'Weighs as much as a letter and holds a small car. The screw gate closes with a quarter of a turn.',
      german: {
        name: 'Schraubkarabiner',
        material: 'Eloxiertes Aluminium',
        description:
          'Wiegt so viel wie ein Brief und hält ein kleines Auto. Der Verschluss geht mit einer Vierteldrehung zu.',
      },
      colours: ['navy', 'red', 'moss', 'mustard'],
      demand: 4,
    },
    {
      name: 'Whipping Twine',
      motif: 'rope',
      usd: 700,
      eur: 800,
      material: 'Waxed polyester',
      description: 'For rope ends that fray, sails that tear and parcels that must arrive. Forty metres on a spool.',
      german: {
        name: 'Takelgarn',
        material: 'Gewachstes Polyester',
        description:
          'Für Tauenden, die ausfransen, Segel, die reißen, und Pakete, die ankommen müssen. Vierzig Meter auf der Spule.',
      },
      colours: ['natural', 'black', 'red'],
      wasPercent: 130,
      demand: 3,
    },
    {
      name: 'Custom Splice',
      motif: 'rope',
      usd: 2900,
      eur: 3200,
      material: 'As you choose',
      description:
        'Tell us the rope, the length and the ends, and our rigger splices it within a week. Leave a note with the order.',
      german: {
        name: 'Spleiß nach Maß',
        material: 'Nach Wahl',
        description:
          'Nennen Sie uns Tau, Länge und Enden, und unser Takler spleißt es innerhalb einer Woche. Schreiben Sie es als Notiz zur Bestellung.',
      },
      tags: ['handmade', 'made-to-order'],
      colours: ['sand'],
      isUntracked: true,
      demand: 0.5,
    },
  ],
}
