export type Piece = { is: 'same' | 'gone' | 'new'; text: string }

/** Above this the table would take too long: the middle is then shown as gone and new as a whole. */
const MOST_CELLS = 4_000_000

/** Words, spaces and signs. */
const tokensOf = (text: string) => text.match(/\s+|[\p{L}\p{N}]+|[^\s\p{L}\p{N}]/gu) ?? []

/** What of a text is gone and what is new, word by word. */
export function differencesOf(before: string, after: string): Piece[] {
  const [old, now] = [tokensOf(before), tokensOf(after)]
  let start = 0
  while (start < old.length && start < now.length && old[start] === now[start]) start++
  let end = 0
  while (
    end < old.length - start &&
    end < now.length - start &&
    old[old.length - 1 - end] === now[now.length - 1 - end]
  )
    end++
  const middle = middleOf(old.slice(start, old.length - end), now.slice(start, now.length - end))
  const pieces: Piece[] = [
    { is: 'same', text: old.slice(0, start).join('') },
    ...middle,
    { is: 'same', text: old.slice(old.length - end).join('') },
  ]
  return joined(pieces.filter(({ text }) => text !== ''))
}

function middleOf(old: readonly string[], now: readonly string[]): Piece[] {
  const whole: Piece[] = [
    { is: 'gone', text: old.join('') },
    { is: 'new', text: now.join('') },
  ]
  const width = now.length + 1
  if (old.length * width > MOST_CELLS || old.length === 0 || now.length === 0) return whole
  // The longest run of words that both have, from each place on.
  const common = new Uint32Array((old.length + 1) * width)
  for (let at = old.length - 1; at >= 0; at--)
    for (let other = now.length - 1; other >= 0; other--)
      common[at * width + other] =
        old[at] === now[other]
          ? (common[(at + 1) * width + other + 1] ?? 0) + 1
          : Math.max(common[(at + 1) * width + other] ?? 0, common[at * width + other + 1] ?? 0)
  const pieces: Piece[] = []
  let [at, other] = [0, 0]
  while (at < old.length || other < now.length) {
    const isSame = at < old.length && other < now.length && old[at] === now[other]
    const takesOld =
      other >= now.length ||
      (at < old.length && (common[(at + 1) * width + other] ?? 0) >= (common[at * width + other + 1] ?? 0))
    if (isSame) {
      pieces.push({ is: 'same', text: old[at] ?? '' })
      at++
      other++
    } else if (takesOld) pieces.push({ is: 'gone', text: old[at++] ?? '' })
    else pieces.push({ is: 'new', text: now[other++] ?? '' })
  }
  return pieces
}

/** Neighbours of one kind are one; a lone space between two changes goes with them, so that phrases stay readable. */
function joined(pieces: readonly Piece[]): Piece[] {
  const groups: { gone: string; new: string; same: string }[] = [{ gone: '', new: '', same: '' }]
  for (const [index, { is, text }] of pieces.entries()) {
    const last = groups.at(-1)
    if (!last) continue
    const isBetween =
      is === 'same' && /^\s+$/.test(text) && (last.gone || last.new) && index + 1 < pieces.length && !last.same
    if (isBetween && pieces[index + 1]?.is !== 'same') {
      last.gone += text
      last.new += text
    } else if (is === 'same') last.same += text
    else if (last.same) groups.push({ gone: '', new: '', same: '', [is]: text })
    else last[is] += text
  }
  return groups.flatMap(({ gone, new: added, same }) =>
    (
      [
        { is: 'gone', text: gone },
        { is: 'new', text: added },
        { is: 'same', text: same },
      ] as const
    ).filter(({ text }) => text !== ''),
  )
}
