/** What things can be coloured. A picture whose name ends with one of these words shows it. */
export const COLOURS = {
  black: '#2f3236',
  brass: '#c69c4a',
  charcoal: '#474d54',
  copper: '#b87350',
  coral: '#df7f66',
  cream: '#eadfc8',
  forest: '#3f6150',
  grey: '#a2a9aa',
  ink: '#2b3a4f',
  moss: '#76845a',
  mustard: '#d3a23a',
  natural: '#d8c29c',
  navy: '#2f4c70',
  oak: '#bd8f5f',
  red: '#b64a3d',
  rose: '#cc8f88',
  rust: '#b1633c',
  sand: '#d5bc96',
  sky: '#86aec6',
  slate: '#5f7079',
  steel: '#97a5ad',
  walnut: '#7d563d',
  white: '#f3efe6',
} as const
export type Colour = keyof typeof COLOURS

export const isColour = (word: string): word is Colour => Object.hasOwn(COLOURS, word)

const PAIRS = [
  '#f2e9dc/#e6d8c4',
  '#e3ebe9/#cfdcd9',
  '#e6ebf1/#d1dbe6',
  '#f3e4dc/#e8d0c4',
  '#ecebdf/#dad8c3',
  '#ece6ee/#dacfdf',
]

/** Soft ones to stand in front of: a wall and a table. */
export const BACKGROUNDS = PAIRS.map((pair) => {
  const [wall = '', table = ''] = pair.split('/')
  return { wall, table }
})

/** Lighter (towards 1) or darker (towards −1). */
export function shade(hex: string, amount: number): string {
  const target = amount > 0 ? 255 : 20
  const share = Math.abs(amount)
  const parts = [1, 3, 5].map((at) => {
    const value = Number.parseInt(hex.slice(at, at + 2), 16)
    return Math.round(value + (target - value) * share)
      .toString(16)
      .padStart(2, '0')
  })
  return `#${parts.join('')}`
}

/** How bright it looks, from 0 to 1. */
export const brightness = (hex: string) =>
  [1, 3, 5].reduce(
    (sum, at, index) => sum + Number.parseInt(hex.slice(at, at + 2), 16) * ([0.3, 0.59, 0.11][index] ?? 0),
    0,
  ) / 255
