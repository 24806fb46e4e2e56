import { type Shelf, sizes } from './item.ts'

export const lighting: Shelf = {
  id: 'lighting',
  name: 'Lighting',
  description: 'Lanterns, lamps and candles for long evenings, made by people who know what wind does to a flame.',
  german: {
    name: 'Beleuchtung',
    description:
      'Laternen, Lampen und Kerzen für lange Abende, gemacht von Leuten, die wissen, was Wind mit einer Flamme tut.',
  },
  items: [
    {
      name: 'Storm Lantern No. 3',
      motif: 'lantern',
      usd: 6400,
      eur: 6900,
      material: 'Tinplate, borosilicate glass',
      description:
        'A paraffin lantern that stays lit in a gale. The globe lifts with one hand for trimming the wick, and a full tank burns for about twenty hours.',
      german: {
        name: 'Sturmlaterne Nr. 3',
        material: 'Weißblech, Borosilikatglas',
        description:
          'Eine Petroleumlaterne, die auch bei Sturm nicht ausgeht. Zum Stutzen des Dochts hebt man das Glas mit einer Hand an, und ein voller Tank brennt rund zwanzig Stunden.',
      },
      colours: ['navy', 'red', 'cream', 'moss'],
      low: ['cream'],
      demand: 4,
    },
    {
      name: 'Anchor Light',
      motif: 'lantern',
      usd: 8900,
      eur: 9500,
      material: 'Solid brass, pressed glass',
      description:
        'Once hung in the forestay at night, now at home on a porch or a windowsill. Wired for a small LED bulb, with three metres of cotton cable.',
      german: {
        name: 'Ankerlicht',
        material: 'Massives Messing, Pressglas',
        description:
          'Früher hing es nachts im Vorstag, heute ist es auf der Veranda oder am Fenster zu Hause. Für eine kleine LED-Lampe verdrahtet, mit drei Metern Baumwollkabel.',
      },
      tags: ['gift'],
      colours: ['brass', 'copper'],
    },
    {
      name: 'Pier Pendant',
      motif: 'pendant',
      usd: 12800,
      eur: 13900,
      material: 'Spun steel, enamelled',
      description:
        'The lamp that hangs over fish markets along the whole coast: a wide enamelled shade that throws its light down and keeps it out of your eyes.',
      german: {
        name: 'Pendelleuchte Pier',
        material: 'Gedrückter Stahl, emailliert',
        description:
          'Die Lampe, die an der ganzen Küste über den Fischmärkten hängt: ein breiter Emailschirm, der das Licht nach unten wirft und die Augen schont.',
      },
      colours: ['forest', 'white', 'charcoal', 'mustard'],
      sizes: sizes('30 cm', ['40 cm', 3000]),
      sizeName: 'Diameter',
      low: ['mustard-40-cm'],
      demand: 2,
    },
    {
      name: 'Chart Table Lamp',
      motif: 'lamp',
      usd: 9800,
      eur: 10500,
      material: 'Turned oak, linen shade',
      description:
        'A small lamp with a low, warm pool of light, made for reading late. The base is turned from one piece of oak and oiled, the shade is linen on a wire frame.',
      german: {
        name: 'Kartentischlampe',
        material: 'Gedrechselte Eiche, Leinenschirm',
        description:
          'Eine kleine Lampe mit niedrigem, warmem Lichtkreis, gemacht für lange Leseabende. Der Fuß ist aus einem Stück Eiche gedrechselt und geölt, der Schirm ist Leinen auf einem Drahtgestell.',
      },
      tags: ['handmade'],
      colours: ['cream', 'rust', 'navy'],
      demand: 2,
    },
    {
      name: 'Bunk Reading Lamp',
      motif: 'lamp',
      usd: 5900,
      eur: 6400,
      material: 'Ash, cotton shade',
      description:
        'Narrow enough for the shelf above a bed. The switch sits on the base, where a sleepy hand finds it.',
      german: {
        name: 'Kojenlampe',
        material: 'Esche, Baumwollschirm',
        description:
          'Schmal genug für das Brett über dem Bett. Der Schalter sitzt am Fuß, wo ihn eine schläfrige Hand findet.',
      },
      colours: ['mustard', 'slate'],
      wasPercent: 125,
    },
    {
      name: 'Beeswax Pillar Candles',
      motif: 'candle',
      usd: 2400,
      eur: 2600,
      material: 'Beeswax, cotton wick',
      description:
        'Three candles of pure beeswax, poured by hand in a workshop behind the old customs house. They burn slowly and smell faintly of honey.',
      german: {
        name: 'Stumpenkerzen aus Bienenwachs',
        material: 'Bienenwachs, Baumwolldocht',
        description:
          'Drei Kerzen aus reinem Bienenwachs, von Hand gegossen in einer Werkstatt hinter dem alten Zollhaus. Sie brennen langsam und duften leicht nach Honig.',
      },
      tags: ['gift', 'handmade'],
      colours: ['mustard', 'cream'],
      demand: 5,
    },
    {
      name: 'Tide Tapers',
      motif: 'candle',
      usd: 1600,
      eur: 1800,
      material: 'Stearin, cotton wick',
      description:
        'Dipped candles in the colours of the water at different hours. A bundle lasts for about thirty dinners.',
      german: {
        name: 'Gezeitenkerzen',
        material: 'Stearin, Baumwolldocht',
        description:
          'Getauchte Kerzen in den Farben, die das Wasser zu verschiedenen Stunden hat. Ein Bund reicht für etwa dreißig Abendessen.',
      },
      colours: ['sky', 'slate', 'coral'],
      out: ['coral'],
      demand: 3,
    },
    {
      name: 'Galley Pendant',
      motif: 'pendant',
      usd: 7400,
      eur: 7900,
      material: 'Spun aluminium',
      description:
        'A light, small shade for above a kitchen counter. Hang two or three in a row; each comes with two metres of cable.',
      german: {
        name: 'Pendelleuchte Kombüse',
        material: 'Gedrücktes Aluminium',
        description:
          'Ein leichter, kleiner Schirm für über der Arbeitsplatte. Zwei oder drei nebeneinander sind am schönsten; jeder kommt mit zwei Metern Kabel.',
      },
      colours: ['copper', 'navy', 'white'],
    },
    {
      name: 'Harbour Master Lantern',
      motif: 'lantern',
      usd: 18500,
      eur: 19800,
      material: 'Copper, hand-blown glass',
      description:
        'Made to order by a coppersmith who signs each one on the base. The metal darkens over the years and can be polished back, or left alone.',
      german: {
        name: 'Hafenmeisterlaterne',
        material: 'Kupfer, mundgeblasenes Glas',
        description:
          'Auf Bestellung gefertigt von einem Kupferschmied, der jede am Boden signiert. Das Metall dunkelt mit den Jahren nach; man kann es polieren oder in Ruhe lassen.',
      },
      tags: ['handmade', 'made-to-order'],
      colours: ['copper'],
      isUntracked: true,
      demand: 0.5,
    },
    {
      name: 'Wick and Oil Kit',
      motif: 'bottle',
      usd: 1900,
      eur: 2100,
      material: 'Lamp oil, cotton wicks',
      description:
        'A litre of clean lamp oil, three flat wicks and a brass trimmer: what a storm lantern needs for a winter.',
      german: {
        name: 'Docht und Öl',
        material: 'Lampenöl, Baumwolldochte',
        description:
          'Ein Liter sauberes Lampenöl, drei Flachdochte und eine Dochtschere aus Messing: was eine Sturmlaterne für einen Winter braucht.',
      },
      colours: ['sky'],
      demand: 3,
    },
  ],
}
