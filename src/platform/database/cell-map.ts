export type Stoppable = { stop(): void | Promise<void> }
// oxlint-disable-next-line typescript/no-invalid-void-type -- most have something to stop, some have nothing
type Start<Cell> = (name: string, cell: Cell) => Stoppable | void

type Follower<Cell> = { start: Start<Cell>; running: Map<string, Stoppable> }

/** The cells of a process, by name. They come and go while it runs; whoever does something for each of them follows. */
export class CellMap<Cell> extends Map<string, Cell> {
  readonly #followers = new Set<Follower<Cell>>()

  /** Starts this for each cell that is there, and for each that comes; stops it when the cell goes. */
  follow(start: Start<Cell>): Stoppable {
    const follower: Follower<Cell> = { start, running: new Map() }
    this.#followers.add(follower)
    for (const [name, cell] of this) begin(follower, name, cell)
    return {
      stop: async () => {
        this.#followers.delete(follower)
        await Promise.all([...follower.running.values()].map(async (each) => each.stop()))
      },
    }
  }

  /** From now on it is there. */
  put(name: string, cell: Cell): void {
    this.set(name, cell)
    for (const follower of this.#followers) begin(follower, name, cell)
  }

  /** From now on nobody finds it; resolves when all that was started for it has stopped. */
  async take(name: string): Promise<void> {
    this.delete(name)
    const running = [...this.#followers].flatMap((follower) => {
      const each = follower.running.get(name)
      follower.running.delete(name)
      return each ? [each] : []
    })
    await Promise.allSettled(running.map(async (each) => each.stop()))
  }
}

function begin<Cell>({ start, running }: Follower<Cell>, name: string, cell: Cell): void {
  const started = start(name, cell)
  if (started) running.set(name, started)
}

/** Follows cells that come and go. Of a plain map, those that are there. */
export function forEachCell<Cell>(cells: ReadonlyMap<string, Cell>, start: Start<Cell>): Stoppable {
  if (cells instanceof CellMap) return (cells as CellMap<Cell>).follow(start)
  const fixed = new CellMap<Cell>()
  for (const [name, cell] of cells) fixed.set(name, cell)
  return fixed.follow(start)
}

/** Those of the cells that are wanted, as they come and go. */
export function pickCells<Cell>(cells: ReadonlyMap<string, Cell>, isWanted: (name: string) => boolean): CellMap<Cell> {
  const picked = new CellMap<Cell>()
  forEachCell(cells, (name, cell) => {
    if (!isWanted(name)) return undefined
    picked.put(name, cell)
    return { stop: () => picked.take(name) }
  })
  return picked
}
