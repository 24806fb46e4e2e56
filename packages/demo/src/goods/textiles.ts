import { type Shelf, sizes } from './item.ts'

const WEAR = sizes('S', 'M', 'L', 'XL')

export const textiles: Shelf = {
  id: 'textiles',
  name: 'Textiles',
  description: 'Wool, linen and sailcloth that gets softer with every wash and every winter.',
  german: {
    name: 'Textilien',
    description: 'Wolle, Leinen und Segeltuch, die mit jeder Wäsche und jedem Winter weicher werden.',
  },
  items: [
    {
      name: 'Skerry Wool Blanket',
      motif: 'blanket',
      usd: 13800,
      eur: 14800,
      sale: { usd: 11000, eur: 11800 },
      material: 'New wool, 130 × 180 cm',
      description:
        'Woven on looms from 1962 that nobody wants to replace. Warm when damp, heavy enough to stay put, and soft after the first winter.',
      german: {
        name: 'Wolldecke Schäre',
        material: 'Schurwolle, 130 × 180 cm',
        description:
          'Gewebt auf Webstühlen von 1962, die niemand ersetzen möchte. Warm, auch wenn sie feucht ist, schwer genug, um liegen zu bleiben, und weich nach dem ersten Winter.',
      },
      colours: ['forest', 'navy', 'rust', 'grey'],
      low: ['rust'],
      demand: 3,
    },
    {
      name: 'Cotton Throw',
      motif: 'blanket',
      usd: 6900,
      eur: 7400,
      material: 'Recycled cotton, 130 × 170 cm',
      description:
        'For summer evenings on the jetty and for sofas with a draught. Machine washable, which wool is not.',
      german: {
        name: 'Baumwollplaid',
        material: 'Recycelte Baumwolle, 130 × 170 cm',
        description:
          'Für Sommerabende auf dem Steg und für Sofas, an denen es zieht. Waschbar in der Maschine, was Wolle nicht ist.',
      },
      tags: ['recycled'],
      colours: ['sky', 'sand', 'coral'],
      wasPercent: 140,
      demand: 3,
    },
    {
      name: 'Sailcloth Cushion',
      motif: 'cushion',
      usd: 4900,
      eur: 5300,
      material: 'Retired sailcloth, feathers',
      description: 'Cut from sails that have crossed at least one sea. Stitch marks and numbers stay where they are.',
      german: {
        name: 'Segeltuchkissen',
        material: 'Ausgedientes Segeltuch, Federn',
        description:
          'Aus Segeln geschnitten, die mindestens ein Meer überquert haben. Nähte und Nummern bleiben, wo sie sind.',
      },
      tags: ['handmade', 'recycled'],
      colours: ['white', 'rust', 'navy'],
      demand: 2,
    },
    {
      name: 'Fisher Sweater',
      motif: 'sweater',
      usd: 15900,
      eur: 16900,
      material: 'Worsted wool',
      description:
        'Knitted tight in the round so that wind and spray stay outside. The pattern on the chest is the one of our own harbour.',
      german: {
        name: 'Fischerpullover',
        material: 'Kammgarnwolle',
        description:
          'Fest und rund gestrickt, damit Wind und Gischt draußen bleiben. Das Muster auf der Brust ist das unseres eigenen Hafens.',
      },
      tags: ['handmade'],
      colours: ['navy', 'cream', 'charcoal'],
      sizes: WEAR,
      low: ['cream-s'],
      out: ['navy-m'],
      demand: 4,
    },
    {
      name: 'Watch Cap',
      motif: 'beanie',
      usd: 3200,
      eur: 3500,
      material: 'Merino wool',
      description: 'A plain ribbed cap with a pompom that comes off. One size, because it stretches and forgives.',
      german: {
        name: 'Wachmütze',
        material: 'Merinowolle',
        description:
          'Eine schlichte gerippte Mütze mit einer Bommel, die sich abnehmen lässt. Eine Größe, denn sie dehnt sich und nimmt nichts übel.',
      },
      tags: ['gift'],
      colours: ['red', 'navy', 'mustard', 'forest', 'cream'],
      demand: 5,
    },
    {
      name: 'Harbour Towel',
      motif: 'towel',
      usd: 3600,
      eur: 3900,
      material: 'Turkish cotton, 100 × 180 cm',
      description: 'Flat-woven, dries in the time of a coffee, and takes up no more room in the bag than a shirt.',
      german: {
        name: 'Hafentuch',
        material: 'Türkische Baumwolle, 100 × 180 cm',
        description: 'Flach gewebt, trocken nach einer Kaffeelänge, und in der Tasche nicht größer als ein Hemd.',
      },
      colours: ['cream', 'sky', 'rose'],
      demand: 3,
    },
    {
      name: 'Market Tote',
      motif: 'tote',
      usd: 4400,
      eur: 4700,
      material: 'Waxed canvas',
      description: 'Stands by itself while you fill it. Carries two crates of mussels, or a week of library books.',
      german: {
        name: 'Markttasche',
        material: 'Gewachstes Segeltuch',
        description:
          'Steht von selbst, während Sie sie füllen. Trägt zwei Kisten Muscheln oder die Bücher einer Woche.',
      },
      colours: ['sand', 'navy', 'red'],
      demand: 4,
    },
    {
      name: 'Deck Socks',
      motif: 'socks',
      usd: 1800,
      eur: 2000,
      material: 'Wool and nylon',
      description:
        'Thick soles, reinforced heels, and stripes that tell the left pair from the right. Two pairs in a bundle.',
      german: {
        name: 'Deckssocken',
        material: 'Wolle und Nylon',
        description:
          'Dicke Sohlen, verstärkte Fersen und Streifen, die das linke Paar vom rechten unterscheiden. Zwei Paar im Bund.',
      },
      tags: ['gift'],
      colours: ['grey', 'navy', 'moss'],
      sizes: sizes('36–39', '40–43', '44–47'),
      demand: 4,
    },
    {
      name: 'Linen Tea Towels',
      motif: 'cloth',
      usd: 2600,
      eur: 2800,
      material: 'Linen, set of two',
      description:
        'Linen polishes glass as nothing else does and lasts longer than most kitchens. Washed once, so they no longer shrink.',
      german: {
        name: 'Geschirrtücher aus Leinen',
        material: 'Leinen, zwei Stück',
        description:
          'Nichts poliert Glas so wie Leinen, und es überdauert die meisten Küchen. Einmal gewaschen, also läuft nichts mehr ein.',
      },
      colours: ['natural', 'sky', 'rust'],
      demand: 2,
    },
    {
      name: 'Oilcloth Apron',
      motif: 'jacket',
      usd: 5800,
      eur: 6200,
      material: 'Cotton oilcloth',
      description:
        'Between a jacket and an apron: buttons down the front, two deep pockets, and a surface that wipes clean.',
      german: {
        name: 'Öltuchschürze',
        material: 'Baumwolle, geölt',
        description:
          'Halb Jacke, halb Schürze: Knöpfe vorne, zwei tiefe Taschen und eine Oberfläche, die sich abwischen lässt.',
      },
      colours: ['mustard', 'forest'],
      low: ['forest'],
    },
  ],
}
