import { type Shelf, sizes } from './item.ts'

export const kitchen: Shelf = {
  id: 'kitchen',
  name: 'Kitchen',
  description: 'For galleys and kitchens alike: things that pour, cut and keep warm, and forgive a rough sea.',
  german: {
    name: 'Küche',
    description: 'Für Kombüse und Küche: was gießt, schneidet und warm hält und rauer See nichts übel nimmt.',
  },
  items: [
    {
      name: 'Watch Mug',
      motif: 'mug',
      usd: 2200,
      eur: 2400,
      material: 'Stoneware',
      description:
        'A heavy mug for the four-in-the-morning watch. The wide base keeps it upright when the table does not stay level, and the handle takes three fingers.',
      german: {
        name: 'Wachbecher',
        material: 'Steinzeug',
        description:
          'Ein schwerer Becher für die Wache um vier Uhr früh. Der breite Boden hält ihn aufrecht, wenn der Tisch nicht waagerecht bleibt, und durch den Henkel passen drei Finger.',
      },
      tags: ['gift'],
      colours: ['navy', 'cream', 'moss', 'rust', 'charcoal'],
      low: ['rust'],
      demand: 6,
    },
    {
      name: 'Enamel Camp Mug',
      motif: 'mug',
      usd: 1400,
      eur: 1500,
      material: 'Enamelled steel',
      description: 'Light, cheap and hard to kill. A chip in the rim is a souvenir, not a defect.',
      german: {
        name: 'Emaillebecher',
        material: 'Emaillierter Stahl',
        description: 'Leicht, günstig und kaum kaputtzukriegen. Ein Abplatzer am Rand ist ein Andenken, kein Mangel.',
      },
      colours: ['white', 'sky', 'forest', 'red'],
      demand: 5,
    },
    {
      name: 'Galley Kettle',
      motif: 'teapot',
      usd: 7800,
      eur: 8400,
      material: 'Enamelled steel, beech',
      description:
        'Boils two litres on gas, induction or embers. The beech handle stays cool enough to pour without a cloth.',
      german: {
        name: 'Kombüsenkessel',
        material: 'Emaillierter Stahl, Buche',
        description:
          'Kocht zwei Liter auf Gas, Induktion oder Glut. Der Buchengriff bleibt so kühl, dass man ohne Tuch eingießen kann.',
      },
      colours: ['forest', 'cream', 'navy'],
      wasPercent: 120,
      demand: 2,
    },
    {
      name: 'Fog Teapot',
      motif: 'teapot',
      usd: 6200,
      eur: 6700,
      material: 'Porcelain, bamboo',
      description:
        'Holds four cups and pours without a drip. The glaze runs from grey to blue, as the harbour does on most mornings.',
      german: {
        name: 'Teekanne Nebel',
        material: 'Porzellan, Bambus',
        description:
          'Fasst vier Tassen und gießt, ohne zu tropfen. Die Glasur verläuft von Grau nach Blau wie der Hafen an den meisten Morgen.',
      },
      colours: ['slate', 'white'],
      out: ['white'],
      demand: 2,
    },
    {
      name: 'Cast Iron Skillet',
      motif: 'pan',
      usd: 5400,
      eur: 5800,
      material: 'Cast iron, oak',
      description: 'Seasoned with linseed oil three times before it leaves us. Gets better with every fish.',
      german: {
        name: 'Gusseiserne Pfanne',
        material: 'Gusseisen, Eiche',
        description: 'Dreimal mit Leinöl eingebrannt, bevor sie zu Ihnen kommt. Wird mit jedem Fisch besser.',
      },
      colours: ['black'],
      sizes: sizes('24 cm', ['28 cm', 1400]),
      demand: 3,
    },
    {
      name: 'Enamel Frying Pan',
      motif: 'pan',
      usd: 4200,
      eur: 4500,
      material: 'Enamelled steel, beech',
      description:
        'A thin, quick pan for pancakes and eggs. Goes from the stove to the table, and the handle comes off for the oven.',
      german: {
        name: 'Emaillepfanne',
        material: 'Emaillierter Stahl, Buche',
        description:
          'Eine dünne, schnelle Pfanne für Pfannkuchen und Eier. Sie kommt vom Herd auf den Tisch, und für den Ofen lässt sich der Griff abnehmen.',
      },
      colours: ['navy', 'red'],
    },
    {
      name: 'Driftwood Board',
      motif: 'board',
      usd: 3800,
      eur: 4100,
      material: 'Oak or walnut',
      description: 'Cut from one plank, sanded four times and oiled. Hang it by the hole when it is not full of bread.',
      german: {
        name: 'Treibholzbrett',
        material: 'Eiche oder Nussbaum',
        description:
          'Aus einer Bohle geschnitten, viermal geschliffen und geölt. Wenn gerade kein Brot darauf liegt, hängt es am Loch.',
      },
      tags: ['handmade', 'recycled'],
      colours: ['oak', 'walnut'],
      sizes: sizes('Small', ['Large', 1600]),
      demand: 3,
    },
    {
      name: 'Oyster Knife',
      motif: 'knife',
      usd: 3400,
      eur: 3700,
      material: 'Carbon steel, walnut',
      description:
        'Short, stiff and honest. The guard keeps your palm where it should be; a leather sheath is included.',
      german: {
        name: 'Austernmesser',
        material: 'Kohlenstoffstahl, Nussbaum',
        description:
          'Kurz, steif und ehrlich. Der Schutz hält den Handballen, wo er hingehört; eine Lederscheide liegt bei.',
      },
      tags: ['gift'],
      colours: ['walnut', 'navy', 'red'],
      low: ['navy'],
      demand: 2,
    },
    {
      name: 'Nesting Bowls',
      motif: 'bowls',
      usd: 6800,
      eur: 7300,
      material: 'Stoneware',
      description:
        'Three bowls that live inside each other: soup, salad, and dough for one loaf. Safe in oven and dishwasher.',
      german: {
        name: 'Schüsselsatz',
        material: 'Steinzeug',
        description:
          'Drei Schüsseln, die ineinander wohnen: für Suppe, für Salat und für den Teig eines Brotes. Geeignet für Ofen und Spülmaschine.',
      },
      colours: ['cream', 'sky', 'rust'],
      demand: 2,
    },
    {
      name: 'Sea Salt Caramel Syrup',
      motif: 'bottle',
      usd: 1500,
      eur: 1700,
      material: 'Sugar, cream, sea salt, 250 ml',
      description: 'Cooked in small pots with salt from the flats across the bay. For coffee, pancakes and spoons.',
      german: {
        name: 'Karamellsirup mit Meersalz',
        material: 'Zucker, Sahne, Meersalz, 250 ml',
        description:
          'In kleinen Töpfen gekocht, mit Salz aus dem Watt jenseits der Bucht. Für Kaffee, Pfannkuchen und Löffel.',
      },
      tags: ['gift'],
      colours: ['rust'],
      demand: 3,
    },
  ],
}
