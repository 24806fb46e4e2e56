import { createRandom } from '../random.ts'
import { BACKGROUNDS, brightness, COLOURS, isColour, shade } from './colours.ts'
import { carabiner, cleat, hooks, pulley, rope, shackle } from './hardware.ts'
import { board, bottle, bowls, cloth, knife, mug, pan, teapot } from './kitchen.ts'
import { candle, lamp, lantern, pendant } from './lights.ts'
import { axe, backpack, boots, compass, jacket, tent, thermos } from './outdoor.ts'
import { calendar, cards, chart, inkwell, notebook, pencils } from './paper.ts'
import { coast, harbour, lighthouse, workshop } from './scenes.ts'
import { box, disc, FLOOR, faded, type Motif, oval, type Paint, shape } from './shapes.ts'
import { beanie, blanket, cushion, socks, sweater, tote, towel } from './textiles.ts'

const THINGS = {
  axe,
  backpack,
  beanie,
  blanket,
  board,
  boots,
  bottle,
  bowls,
  calendar,
  candle,
  carabiner,
  cards,
  chart,
  cleat,
  cloth,
  compass,
  cushion,
  hooks,
  inkwell,
  jacket,
  knife,
  lamp,
  lantern,
  mug,
  notebook,
  pan,
  pencils,
  pendant,
  pulley,
  rope,
  shackle,
  socks,
  sweater,
  teapot,
  tent,
  thermos,
  tote,
  towel,
} satisfies Record<string, Motif>
const SCENES = { coast, harbour, lighthouse, workshop } satisfies Record<string, Motif>

export type MotifName = keyof typeof THINGS | keyof typeof SCENES
export const MOTIFS = [...Object.keys(THINGS), ...Object.keys(SCENES)] as MotifName[]
export const isMotif = (name: string): name is MotifName => Object.hasOwn(THINGS, name) || Object.hasOwn(SCENES, name)

/** These hang: no shadow below them. */
const HANGING: readonly string[] = ['pendant', 'hooks', 'cloth', 'towel', 'calendar', 'chart']

/**
 * A picture of a thing, the same for the same words. The seed's words decide: one that is a colour is the colour of the thing,
 * the others choose what is not said.
 */
export function drawImage(name: MotifName, seed: string): string {
  const words = seed.split('-')
  const random = createRandom(`${name} ${words.filter((word) => !isColour(word)).join('-')}`)
  const colours = Object.values(COLOURS)
  const chosen = words.findLast(isColour)
  const main = chosen ? COLOURS[chosen] : random.pick(colours.filter((colour) => brightness(colour) < 0.75))
  const accent = random.pick(
    [COLOURS.mustard, COLOURS.rust, COLOURS.navy, COLOURS.cream, COLOURS.moss, COLOURS.coral].filter(
      (colour) => colour !== main,
    ),
  )
  const paint: Paint = {
    main,
    dark: shade(main, brightness(main) > 0.7 ? -0.24 : -0.3),
    light: shade(main, 0.45),
    accent,
    ink: COLOURS.ink,
    wood: COLOURS.oak,
    metal: COLOURS.steel,
    paper: '#fbf7ee',
  }
  if (name in SCENES) return frame(SCENES[name as keyof typeof SCENES](paint))
  const { wall, table } = backgroundFor(main, random.below(BACKGROUNDS.length))
  const isHanging = HANGING.includes(name)
  return frame(
    [
      box(0, 0, 800, 800, wall),
      decorate(random.below(4), table),
      isHanging ? '' : faded(0.16, oval(400, FLOOR + 6, 250, 26, '#1d232b')),
      THINGS[name as keyof typeof THINGS](paint),
    ].join(''),
  )
}

/** Another one when it would swallow the thing. */
function backgroundFor(main: string, first: number) {
  const isNear = (wall: string) => Math.abs(brightness(wall) - brightness(main)) < 0.08
  const order = [...BACKGROUNDS.slice(first), ...BACKGROUNDS.slice(0, first)]
  const { wall, table } = order.find((pair) => !isNear(pair.wall)) ?? order[0] ?? { wall: '#f2e9dc', table: '#e6d8c4' }
  return isNear(wall) ? { wall: shade(wall, -0.13), table: shade(table, -0.15) } : { wall, table }
}

function decorate(style: number, table: string): string {
  const ground = box(0, 590, 800, 210, table)
  if (style === 0) return disc(400, 400, 310, table)
  if (style === 1) return shape('M150 800 L150 380 C150 60 650 60 650 380 L650 800 Z', table)
  if (style === 2) return ground + faded(0.5, disc(590, 210, 120, table))
  return ground
}

const frame = (content: string) =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 800 800" width="800" height="800">${content}</svg>`
