import bidiJs from 'bidi-js'

// Its types say that the function is the default of what is imported; it is the import itself.
const bidi = (bidiJs as unknown as typeof bidiJs.default)()
const RIGHT_TO_LEFT = /[\p{sc=Hebrew}\p{sc=Arabic}\p{sc=Syriac}\p{sc=Thaana}\p{sc=Nko}]/u

/** Part of a line. Letters of one that is read from the right are in the order in which they are read. */
export type Run = { text: string; font: string; isRightToLeft: boolean }

/** The direction of each character of a paragraph (UAX 9): odd levels are read from the right. */
export const levelsOf = (paragraph: string): Uint8Array | undefined =>
  RIGHT_TO_LEFT.test(paragraph) ? bidi.getEmbeddingLevels(paragraph).levels : undefined

/** The runs of one line as they stand on paper, from the left. `fonts` and `levels` are those of its characters. */
export function inVisualOrder(line: string, fonts: readonly string[], levels?: Uint8Array): Run[] {
  const [only] = fonts
  if (only !== undefined && !levels && fonts.every((font) => font === only))
    return [{ text: line, font: only, isRightToLeft: false }]
  const runs: (Run & { level: number })[] = []
  for (let index = 0; index < line.length; index++) {
    const [font, level] = [fonts[index] as string, levels?.[index] ?? 0]
    const last = runs.at(-1)
    const isRightToLeft = level % 2 === 1
    const character = line[index] as string
    const text = isRightToLeft ? (bidi.getMirroredCharacter(character) ?? character) : character
    if (last?.font === font && last.level === level) last.text += text
    else runs.push({ text, font, level, isRightToLeft })
  }
  return reorder(runs).map(({ text, font, isRightToLeft }) =>
    // The font turns around what has letters; marks alone have no direction that it could know.
    isRightToLeft && !RIGHT_TO_LEFT.test(text)
      ? { text: Array.from(text).toReversed().join(''), font, isRightToLeft: false }
      : { text, font, isRightToLeft },
  )
}

/** From the highest level down to the lowest odd one, what is at that level or above it is turned around. */
function reorder<Leveled extends { level: number }>(runs: Leveled[]): Leveled[] {
  let ordered = runs
  for (let level = Math.max(0, ...runs.map((run) => run.level)); level > 0; level--) {
    const parts: Leveled[][] = []
    let wasTurned = false
    for (const run of ordered) {
      const isTurned = run.level >= level
      if (isTurned && wasTurned) parts.at(-1)?.unshift(run)
      else parts.push([run])
      wasTurned = isTurned
    }
    ordered = parts.flat()
  }
  return ordered
}
