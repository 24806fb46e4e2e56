import { CamelCasePlugin, Kysely, PostgresDialect, type PostgresPool, type Transaction } from 'kysely'
import { CellMap } from './cell-map.ts'
import type { DB as CellTables } from './cell-tables.ts'
import { hangUp, openPool, type PatientPool, type PoolClient, type PoolOptions } from './connection.ts'
import type { DB as ControlTables } from './control-tables.ts'

/** A cell's pool or a transaction on it: everything that a business owns. */
export type Db = Kysely<CellTables>
/** A transaction on a cell. A function whose half-done work would be worse than none asks for this. */
export type Tx = Transaction<CellTables>

/** The same for the control database: users, businesses, roles, and which cell a business lives in. */
export type ControlDb = Kysely<ControlTables>
export type ControlTx = Transaction<ControlTables>

/**
 * How to reach one database. `directUrl` avoids PgBouncer: for LISTEN, workers, session locks. `replicaUrl`: a copy that
 * follows it, for reading.
 */
export type DatabaseAddress = { url: string; directUrl: string; replicaUrl?: string | undefined }

/** A connection in use. `release` returns it to the pool, or closes it if it is broken. */
export type Lease = { client: Pick<PoolClient, 'query'>; release: (destroy?: boolean) => void }
type OwnLease = Lease & { client: PoolClient }

type Parts = {
  kind: 'control' | 'cell'
  name: string
  pool: PatientPool
  address: DatabaseAddress
  lease?: () => Promise<Lease>
  primary?: unknown
}

/** An open database: Kysely's builder over a pool, with its address and kind. A transaction is not one. */
export class Database<Tables> extends Kysely<Tables> {
  readonly kind: Parts['kind']
  readonly name: string
  readonly pool: PatientPool
  readonly address: DatabaseAddress
  readonly lease: () => Promise<Lease>
  /** Of a replica: the database that it follows. */
  readonly primary: Database<Tables> | undefined
  /** Where its replica is, if it has one. It may change. */
  replicaUrl: string | undefined
  /** Its replica, while that may be read instead. */
  replica: Database<Tables> | undefined
  /** Called with each notification of a transaction of this process, once it has committed. */
  onAnnounced: ((topic: string, id: string) => void) | undefined
  /** Called after each transaction of this process that has committed. */
  onCommitted: (() => void) | undefined

  constructor({ kind, name, pool, address, lease = () => leaseFrom(pool), primary }: Parts) {
    super({
      dialect: new PostgresDialect({ pool: toKyselyPool(pool, lease) }),
      plugins: [new CamelCasePlugin({ maintainNestedObjectKeys: true })],
    })
    this.kind = kind
    this.name = name
    this.pool = pool
    this.address = address
    this.lease = lease
    this.primary = primary as Database<Tables> | undefined
    this.replicaUrl = primary ? undefined : address.replicaUrl
  }
}

/** For whoever has just written, or is about to: never a replica. */
export const primaryOf = <Tables>(db: Database<Tables>): Database<Tables> => db.primary ?? db

export type Cell = Database<CellTables>
export type Control = Database<ControlTables>

export async function leaseFrom(pool: PatientPool): Promise<OwnLease> {
  const client = (await pool.connect()) as PoolClient
  return { client, release: (destroy = false) => client.release(destroy || client.isBroken) }
}

/** Kysely releases a connection without saying that it failed: the lease knows. */
const toKyselyPool = (pool: PatientPool, lease: () => Promise<Lease>): PostgresPool => ({
  options: pool.options,
  end: () => pool.end(),
  connect: async () => {
    const { client, release } = await lease()
    return { query: client.query.bind(client), release }
  },
})

export type Databases = {
  control: Control
  /** They may come and go: `forEachCell` does something for each. */
  cells: ReadonlyMap<string, Cell>
  close(): Promise<void>
}

/** Databases whose cells can be changed while they are used. */
export type OpenDatabases = Databases & {
  /** From now on these are the cells, besides `main`. Those that are known at the same address are left alone. */
  setCells(addresses: Readonly<Record<string, DatabaseAddress>>): { added: string[]; gone: string[] }
}

export const MAIN_CELL = 'main'
/** Requests and jobs that are under way when a cell goes may still use it for so long. */
const RETIRE_MS = 40_000

/** `control` is also the cell named `main`: one database, one pool, disjoint schemas. */
export function openDatabases(
  addresses: { control: DatabaseAddress; cells: Record<string, DatabaseAddress> },
  options: PoolOptions = {},
): OpenDatabases {
  const open = new Set<PatientPool>()
  const cells = new CellMap<Cell>()

  function openPoolOf(address: DatabaseAddress): PatientPool {
    const pool = openPoolFor(address, options)
    open.add(pool)
    return pool
  }

  const closePool = async (pool: PatientPool) => {
    if (open.delete(pool)) await pool.end()
  }

  async function retire(name: string, { pool }: Cell): Promise<void> {
    await cells.take(name)
    setTimeout(() => void closePool(pool), RETIRE_MS).unref()
  }

  function setCells(wanted: Readonly<Record<string, DatabaseAddress>>) {
    const gone = [...cells].filter(([name, cell]) => name !== MAIN_CELL && !isAt(cell, wanted[name]))
    for (const [name, cell] of gone) void retire(name, cell)
    for (const [name, cell] of cells) if (name !== MAIN_CELL) cell.replicaUrl = wanted[name]?.replicaUrl
    const added = Object.entries(wanted).filter(([name]) => name !== MAIN_CELL && !cells.has(name))
    for (const [name, address] of added)
      cells.put(name, new Database({ kind: 'cell', name, pool: openPoolOf(address), address })) // it connects when it is used
    return { added: added.map(([name]) => name), gone: gone.map(([name]) => name) }
  }

  const pool = openPoolOf(addresses.control)
  const control: Control = new Database({ kind: 'control', name: 'control', pool, address: addresses.control })
  cells.put(MAIN_CELL, new Database({ kind: 'cell', name: MAIN_CELL, pool, address: addresses.control }))
  setCells(addresses.cells)
  return {
    control,
    cells,
    setCells,
    close: async () => {
      await Promise.all([...open].map(closePool))
    },
  }
}

const isAt = ({ address }: Cell, wanted: DatabaseAddress | undefined) =>
  address.url === wanted?.url && address.directUrl === wanted.directUrl

const openPoolFor = (address: DatabaseAddress, options: PoolOptions) =>
  openPool(address.url, { ...options, behindPooler: address.directUrl !== address.url })

/** Databases whose access can be revoked. */
export type RevocableDatabases = Pick<Databases, 'control' | 'cells'> & {
  /** From then on every statement fails, including those under way. */
  end(reason: string): void
}

/** The same databases on the same connections, but revocable: for work that may have to be stopped at once. */
export function makeRevocable({ control, cells }: Pick<Databases, 'control' | 'cells'>): RevocableDatabases {
  const used = new Set<Pick<PoolClient, 'query'>>()
  const wrapped = new Map<string, Cell>()
  let over: Error | undefined

  const wrap = <Tables>({ kind, name, pool, address, lease }: Database<Tables>) =>
    new Database<Tables>({ kind, name, pool, address, lease: () => track(lease) })

  async function track(lease: () => Promise<Lease>): Promise<Lease> {
    if (over) throw over
    const { client, release } = await lease()
    if (over) {
      release()
      throw over
    }
    used.add(client)
    return {
      client,
      release(destroy) {
        used.delete(client)
        release(destroy)
      },
    }
  }

  return {
    control: wrap(control),
    /** Those that are there now. */
    get cells() {
      for (const name of wrapped.keys()) if (!cells.has(name)) wrapped.delete(name)
      for (const [name, cell] of cells) if (wrapped.get(name)?.pool !== cell.pool) wrapped.set(name, wrap(cell))
      return wrapped
    },
    end(reason) {
      over = new Error(reason)
      for (const client of used) hangUp(client as PoolClient)
    },
  }
}
