const STOPS = 'main [data-stop]'

/**
 * The next thing that an operator may want to act on, or the one before: it gets the focus, so Enter does it. From wherever
 * the focus is; what was acted on is often gone, and then the first is the next.
 */
export function goToStop(step: 1 | -1): void {
  const stops = [...document.querySelectorAll<HTMLElement>(STOPS)].filter((stop) => stop.checkVisibility())
  const here = document.activeElement ?? document.body
  const lies = (side: number) => (stop: HTMLElement) => (here.compareDocumentPosition(stop) & side) !== 0
  const stop =
    step === 1
      ? stops.find(lies(Node.DOCUMENT_POSITION_FOLLOWING))
      : stops.findLast(lies(Node.DOCUMENT_POSITION_PRECEDING))
  stop?.focus({ preventScroll: true })
  stop?.scrollIntoView({ block: 'nearest' })
}
