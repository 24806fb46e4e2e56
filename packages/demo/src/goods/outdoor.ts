import { type Shelf, sizes } from './item.ts'

export const outdoor: Shelf = {
  id: 'outdoor',
  name: 'Outdoor',
  description: 'For the path along the cliffs and the weather that comes with it.',
  german: {
    name: 'Draußen',
    description: 'Für den Weg an den Klippen und das Wetter, das dazugehört.',
  },
  items: [
    {
      name: 'Headland Backpack',
      motif: 'backpack',
      usd: 14800,
      eur: 15900,
      material: 'Waxed cotton, leather straps',
      description:
        'Twenty-two litres, one large room and one small. Rain runs off the waxed cotton, and the leather will look better in ten years than it does now.',
      german: {
        name: 'Rucksack Landzunge',
        material: 'Gewachste Baumwolle, Lederriemen',
        description:
          'Zweiundzwanzig Liter, ein großes Fach und ein kleines. Von der gewachsten Baumwolle läuft der Regen ab, und das Leder wird in zehn Jahren schöner sein als heute.',
      },
      colours: ['rust', 'forest', 'navy', 'black'],
      low: ['black'],
      demand: 3,
    },
    {
      name: 'Day Pack',
      motif: 'backpack',
      usd: 7900,
      eur: 8500,
      material: 'Recycled nylon',
      description: 'Folds into its own pocket and weighs 380 grams. For the walk that turned out longer than planned.',
      german: {
        name: 'Tagesrucksack',
        material: 'Recyceltes Nylon',
        description:
          'Passt gefaltet in seine eigene Tasche und wiegt 380 Gramm. Für die Wanderung, die länger wurde als gedacht.',
      },
      tags: ['recycled'],
      colours: ['mustard', 'sky', 'charcoal'],
      wasPercent: 125,
      demand: 3,
    },
    {
      name: 'Steel Flask',
      motif: 'thermos',
      usd: 3800,
      eur: 4100,
      material: 'Stainless steel',
      description:
        'Keeps tea hot from breakfast until the last ferry. The cup on top is large enough to be a real one.',
      german: {
        name: 'Thermoskanne aus Stahl',
        material: 'Edelstahl',
        description:
          'Hält Tee vom Frühstück bis zur letzten Fähre heiß. Der Becher obendrauf ist so groß wie ein richtiger.',
      },
      tags: ['gift'],
      colours: ['navy', 'forest', 'cream', 'red'],
      sizes: sizes('0.5 l', ['1 l', 900]),
      demand: 5,
    },
    {
      name: 'Pocket Compass',
      motif: 'compass',
      usd: 4600,
      eur: 4900,
      material: 'Brass, mineral glass',
      description:
        'Liquid-damped, so the needle settles in two seconds. Needs no charging and has never asked for an update.',
      german: {
        name: 'Taschenkompass',
        material: 'Messing, Mineralglas',
        description:
          'Flüssigkeitsgedämpft, damit die Nadel in zwei Sekunden zur Ruhe kommt. Muss nie geladen werden und hat noch nie um ein Update gebeten.',
      },
      tags: ['gift'],
      colours: ['brass', 'navy', 'black'],
      demand: 2,
    },
    {
      name: 'Kindling Axe',
      motif: 'axe',
      usd: 6400,
      eur: 6900,
      material: 'Forged steel, ash',
      description:
        'Small enough for a rucksack, heavy enough for birch. The head is forged and ground by one smith, whose initials are on it.',
      german: {
        name: 'Anzündholzbeil',
        material: 'Geschmiedeter Stahl, Esche',
        description:
          'Klein genug für den Rucksack, schwer genug für Birke. Ein einziger Schmied schmiedet und schleift den Kopf; seine Initialen stehen darauf.',
      },
      tags: ['handmade'],
      colours: ['red', 'navy'],
      out: ['navy'],
    },
    {
      name: 'Canvas Tent',
      motif: 'tent',
      usd: 48900,
      eur: 52500,
      material: 'Cotton canvas, ash poles',
      description: 'Room for three and their wet boots. Canvas breathes, so mornings inside it are dry ones.',
      german: {
        name: 'Zelt aus Segeltuch',
        material: 'Baumwolltuch, Eschenstangen',
        description: 'Platz für drei und ihre nassen Stiefel. Segeltuch atmet, deshalb ist es darin am Morgen trocken.',
      },
      colours: ['sand', 'forest'],
      low: ['forest'],
      demand: 0.6,
    },
    {
      name: 'Rubber Boots',
      motif: 'boots',
      usd: 8900,
      eur: 9600,
      material: 'Natural rubber, cotton lining',
      description:
        'Made by hand from natural rubber, with a sole that grips on weed and wet planks. A size runs large: think of the socks.',
      german: {
        name: 'Gummistiefel',
        material: 'Naturkautschuk, Baumwollfutter',
        description:
          'Von Hand aus Naturkautschuk gemacht, mit einer Sohle, die auf Tang und nassen Planken greift. Sie fallen groß aus: Denken Sie an die Socken.',
      },
      tags: ['handmade'],
      colours: ['navy', 'mustard', 'forest'],
      sizes: sizes('38', '40', '42', '44'),
      out: ['mustard-44'],
      demand: 3,
    },
    {
      name: 'Oilskin Jacket',
      motif: 'jacket',
      usd: 21900,
      eur: 23500,
      material: 'Cotton oilskin, corduroy collar',
      description:
        'Keeps out what the coast throws at you. Can be rubbed with wax once a year, and then it lasts for decades.',
      german: {
        name: 'Öljacke',
        material: 'Geölte Baumwolle, Cordkragen',
        description:
          'Hält ab, was die Küste einem entgegenwirft. Einmal im Jahr mit Wachs eingerieben, hält sie Jahrzehnte.',
      },
      colours: ['mustard', 'navy', 'black'],
      sizes: sizes('S', 'M', 'L', 'XL'),
      low: ['black-l'],
      demand: 2,
    },
    {
      name: 'Beach Windbreak',
      motif: 'tent',
      usd: 9900,
      eur: 10600,
      material: 'Cotton, ash poles',
      description: 'Three poles, four metres of striped cotton and an afternoon out of the wind.',
      german: {
        name: 'Windschutz für den Strand',
        material: 'Baumwolle, Eschenstangen',
        description: 'Drei Stangen, vier Meter gestreifte Baumwolle und ein Nachmittag ohne Wind.',
      },
      colours: ['red', 'sky'],
      demand: 1,
    },
    {
      name: 'Gift Card',
      motif: 'cards',
      usd: 2500,
      eur: 2500,
      material: 'Card, sent by post',
      description:
        'For whoever has everything but an afternoon in our shop. Sent in an envelope with a handwritten note.',
      german: {
        name: 'Geschenkkarte',
        material: 'Karton, mit der Post',
        description:
          'Für alle, die alles haben, nur keinen Nachmittag in unserem Laden. Kommt im Umschlag mit einem handgeschriebenen Gruß.',
      },
      tags: ['gift'],
      colours: ['mustard'],
      sizes: sizes('25', ['50', 2500], ['100', 7500]),
      sizeName: 'Value',
      isUntracked: true,
      demand: 2,
    },
  ],
}
