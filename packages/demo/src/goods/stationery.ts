import { type Shelf, sizes } from './item.ts'

export const stationery: Shelf = {
  id: 'stationery',
  name: 'Stationery',
  description: 'Paper, ink and charts for what deserves to be written down.',
  german: {
    name: 'Papier',
    description: 'Papier, Tinte und Karten für alles, was aufgeschrieben gehört.',
  },
  items: [
    {
      name: 'Logbook',
      motif: 'notebook',
      usd: 2400,
      eur: 2600,
      material: 'Cloth cover, 192 pages, 100 g paper',
      description:
        'Numbered pages, a table of contents and a ribbon, as a log should have. The paper takes a fountain pen without showing it on the other side.',
      german: {
        name: 'Logbuch',
        material: 'Leineneinband, 192 Seiten, 100-g-Papier',
        description:
          'Nummerierte Seiten, ein Inhaltsverzeichnis und ein Lesebändchen, wie es sich für ein Logbuch gehört. Das Papier verträgt den Füller, ohne es auf der Rückseite zu zeigen.',
      },
      tags: ['gift'],
      colours: ['navy', 'rust', 'forest', 'mustard'],
      sizes: sizes('Dotted', 'Ruled'),
      sizeName: 'Pages',
      demand: 5,
    },
    {
      name: 'Pocket Notebook',
      motif: 'notebook',
      usd: 900,
      eur: 1000,
      material: 'Card cover, 64 pages',
      description: 'Three thin notebooks for a shirt pocket: one for the list, one for the sketch, one to lose.',
      german: {
        name: 'Taschenheft',
        material: 'Kartoneinband, 64 Seiten',
        description:
          'Drei dünne Hefte für die Hemdtasche: eines für die Liste, eines für die Skizze, eines zum Verlieren.',
      },
      colours: ['sand', 'sky', 'red'],
      demand: 4,
    },
    {
      name: 'Drawing Pencils',
      motif: 'pencils',
      usd: 1800,
      eur: 2000,
      material: 'Cedar, graphite, set of five',
      description: 'From 2H for the horizon to 6B for the storm. Comes in a tin cup that is worth keeping.',
      german: {
        name: 'Zeichenstifte',
        material: 'Zedernholz, Grafit, fünf Stück',
        description: 'Von 2H für den Horizont bis 6B für den Sturm. Im Blechbecher, den man behalten will.',
      },
      tags: ['gift'],
      colours: ['navy', 'red'],
      demand: 2,
    },
    {
      name: 'Postcards from the Pier',
      motif: 'cards',
      usd: 1200,
      eur: 1300,
      material: 'Letterpress card, set of eight',
      description:
        'Eight views of one pier in eight kinds of weather, printed two streets away on a press from 1911. With envelopes.',
      german: {
        name: 'Postkarten vom Pier',
        material: 'Buchdruckkarton, acht Stück',
        description:
          'Acht Ansichten eines Piers bei achterlei Wetter, zwei Straßen weiter auf einer Presse von 1911 gedruckt. Mit Umschlägen.',
      },
      tags: ['gift'],
      colours: ['sky', 'coral', 'slate'],
      demand: 3,
    },
    {
      name: 'Coastal Chart',
      motif: 'chart',
      usd: 3900,
      eur: 4200,
      material: 'Cotton paper, oak rails',
      description:
        'The approaches to our harbour as they were surveyed in 1874. For the wall, please, not for navigation.',
      german: {
        name: 'Küstenkarte',
        material: 'Baumwollpapier, Eichenleisten',
        description:
          'Die Ansteuerung unseres Hafens, wie sie 1874 vermessen wurde. Bitte für die Wand, nicht zum Navigieren.',
      },
      colours: ['navy', 'rust'],
      sizes: sizes('50 × 55 cm', ['70 × 77 cm', 1800]),
      demand: 2,
    },
    {
      name: 'Iron Gall Ink',
      motif: 'inkwell',
      usd: 1600,
      eur: 1700,
      material: 'Oak galls, iron, gum arabic, 60 ml',
      description: 'Goes on pale and turns dark within the hour. The same recipe that keeps old logbooks readable.',
      german: {
        name: 'Eisengallustinte',
        material: 'Eichengallen, Eisen, Gummiarabikum, 60 ml',
        description:
          'Blass auf der Feder und dunkel nach einer Stunde. Dasselbe Rezept, das alte Logbücher lesbar hält.',
      },
      colours: ['ink', 'forest', 'red'],
      out: ['red'],
      demand: 2,
    },
    {
      name: 'Tide Calendar',
      motif: 'calendar',
      usd: 2200,
      eur: 2400,
      material: 'Recycled paper, 42 × 30 cm',
      description:
        'Twelve prints and the high water of every day, for the harbour wall below our window. Yours may differ by an hour.',
      german: {
        name: 'Gezeitenkalender',
        material: 'Recyclingpapier, 42 × 30 cm',
        description:
          'Zwölf Drucke und das Hochwasser eines jeden Tages, gemessen an der Kaimauer unter unserem Fenster. Bei Ihnen kann es eine Stunde abweichen.',
      },
      tags: ['recycled'],
      colours: ['slate', 'rust'],
      wasPercent: 150,
      low: ['rust'],
      demand: 3,
    },
    {
      name: 'Letter Set',
      motif: 'cards',
      usd: 1900,
      eur: 2100,
      material: 'Laid paper, 20 sheets, 10 envelopes',
      description:
        'For what should not be said in a message. The paper has a faint line to keep your writing on course.',
      german: {
        name: 'Briefpapier',
        material: 'Geripptes Papier, 20 Bögen, 10 Umschläge',
        description:
          'Für das, was nicht in eine Nachricht gehört. Eine feine Linie im Papier hält die Schrift auf Kurs.',
      },
      tags: ['gift'],
      colours: ['cream', 'rose'],
    },
    {
      name: 'Dip Pen and Holder',
      motif: 'inkwell',
      usd: 2800,
      eur: 3000,
      material: 'Beech, steel nibs, glass',
      description: 'A holder, five nibs from fine to broad, and a small bottle of black to begin with.',
      german: {
        name: 'Schreibfeder mit Halter',
        material: 'Buche, Stahlfedern, Glas',
        description: 'Ein Halter, fünf Federn von fein bis breit und ein Fläschchen Schwarz für den Anfang.',
      },
      colours: ['black', 'navy'],
    },
    {
      name: 'Engraved Logbook',
      motif: 'notebook',
      usd: 4800,
      eur: 5200,
      material: 'Leather cover, 192 pages',
      description:
        'The logbook in vegetable-tanned leather, with a boat’s name or your own pressed into the cover. Made for you in ten days.',
      german: {
        name: 'Logbuch mit Prägung',
        material: 'Ledereinband, 192 Seiten',
        description:
          'Das Logbuch in pflanzlich gegerbtem Leder, in dessen Deckel wir den Namen eines Bootes oder Ihren eigenen prägen. In zehn Tagen für Sie gemacht.',
      },
      tags: ['handmade', 'made-to-order'],
      colours: ['walnut', 'black'],
      isUntracked: true,
    },
  ],
}
