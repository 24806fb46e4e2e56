const RIGHT_TO_LEFT = /[\p{sc=Hebrew}\p{sc=Arabic}\p{sc=Syriac}\p{sc=Thaana}\p{sc=Nko}]/gu

const countOf = (text: string, letters: RegExp) => text.match(letters)?.length ?? 0
const isRightToLeft = (text: string) => countOf(text, RIGHT_TO_LEFT) * 2 > countOf(text, /\p{L}/gu)

/**
 * pdfkit writes words from the left to the right, and turns around the letters of each word that is read from the right.
 * So words have to come in the order in which they stand on paper, and a text that needs several lines is broken here.
 */
export function inVisualOrder(text: string, fits: (words: readonly string[]) => boolean): string {
  if (countOf(text, RIGHT_TO_LEFT) === 0) return text
  const lines: string[][] = [[]]
  for (const word of text.split(' ')) {
    const line = lines.at(-1) as string[]
    if (line.length > 0 && !fits([...line, word])) lines.push([word])
    else line.push(word)
  }
  return lines.map((line) => spaced(reorder(line, isRightToLeft(text)))).join('\n')
}

/** Words that are read against the direction of the line are in runs, and each run stands the other way round. */
function reorder(words: readonly string[], isLineRightToLeft: boolean): string[] {
  const runs: string[][] = []
  let isRunAgainst: boolean | undefined
  for (const word of words) {
    const isAgainst = /\p{L}/u.test(word) && isRightToLeft(word) !== isLineRightToLeft
    if (isAgainst && isRunAgainst) runs.at(-1)?.push(word)
    else runs.push([word])
    isRunAgainst = isAgainst
  }
  return isLineRightToLeft ? runs.toReversed().flat() : runs.flatMap((run) => turned(run))
}

const turned = (run: readonly string[]) => (run.some(isRightToLeft) ? run.toReversed() : run)

/** The space that follows a word read from the right is turned around with it, and stands to its left. */
const spaced = (words: readonly string[]): string =>
  words
    .map((word, index) => {
      const next = words[index + 1]
      if (next === undefined) return isRightToLeft(word) ? `${word} ` : word
      return isRightToLeft(word) && !isRightToLeft(next) ? `${word}  ` : `${word} `
    })
    .join('')
