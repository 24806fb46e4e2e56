import { CamelCasePlugin, Kysely, PostgresDialect, type PostgresPool, type Transaction } from 'kysely'
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

/** How to reach one database. `directUrl` avoids PgBouncer: for LISTEN, workers, session locks. */
export type DatabaseAddress = { url: string; directUrl: string }

/** A connection in use. `release` returns it to the pool, or closes it if it is broken. */
type Lease = { client: PoolClient; release: (destroy?: boolean) => void }

type Parts = {
  kind: 'control' | 'cell'
  name: string
  pool: PatientPool
  address: DatabaseAddress
  lease?: () => Promise<Lease>
}

/** An open database: Kysely's builder over a pool, with its address and kind. A transaction is not one. */
export class Database<Tables> extends Kysely<Tables> {
  readonly kind: Parts['kind']
  readonly name: string
  readonly pool: PatientPool
  readonly address: DatabaseAddress
  readonly lease: () => Promise<Lease>
  /** Called with each notification of a transaction of this process, once it has committed. */
  onAnnounced: ((topic: string, id: string) => void) | undefined
  /** Called after each transaction of this process that has committed. */
  onCommitted: (() => void) | undefined

  constructor({ kind, name, pool, address, lease = () => leaseFrom(pool) }: Parts) {
    super({
      dialect: new PostgresDialect({ pool: toKyselyPool(pool, lease) }),
      plugins: [new CamelCasePlugin({ maintainNestedObjectKeys: true })],
    })
    this.kind = kind
    this.name = name
    this.pool = pool
    this.address = address
    this.lease = lease
  }
}

export type Cell = Database<CellTables>
export type Control = Database<ControlTables>

async function leaseFrom(pool: PatientPool): Promise<Lease> {
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
  cells: ReadonlyMap<string, Cell>
  close(): Promise<void>
}

export const MAIN_CELL = 'main'

/** `control` is also the cell named `main`: one database, one pool, disjoint schemas. */
export function openDatabases(
  addresses: { control: DatabaseAddress; cells: Record<string, DatabaseAddress> },
  options: PoolOptions = {},
): Databases {
  const pools = [openPoolFor(addresses.control, options)]
  const [mainPool] = pools as [PatientPool]
  const control: Control = new Database({
    kind: 'control',
    name: 'control',
    pool: mainPool,
    address: addresses.control,
  })
  const main: Cell = new Database({ kind: 'cell', name: MAIN_CELL, pool: mainPool, address: addresses.control })
  const cells = new Map([[MAIN_CELL, main]])
  for (const [name, address] of Object.entries(addresses.cells)) {
    const pool = openPoolFor(address, options)
    pools.push(pool)
    cells.set(name, new Database({ kind: 'cell', name, pool, address }))
  }
  return {
    control,
    cells,
    close: async () => {
      await Promise.all(pools.map((pool) => pool.end()))
    },
  }
}

const openPoolFor = (address: DatabaseAddress, options: PoolOptions) =>
  openPool(address.url, { ...options, behindPooler: address.directUrl !== address.url })

/** Databases whose access can be revoked. */
export type RevocableDatabases = Pick<Databases, 'control' | 'cells'> & {
  /** From then on every statement fails, including those under way. */
  end(reason: string): void
}

/** The same databases on the same connections, but revocable: for work that may have to be stopped at once. */
export function makeRevocable({ control, cells }: Pick<Databases, 'control' | 'cells'>): RevocableDatabases {
  const used = new Set<PoolClient>()
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
    cells: new Map([...cells].map(([name, cell]) => [name, wrap(cell)])),
    end(reason) {
      over = new Error(reason)
      for (const client of used) hangUp(client)
    },
  }
}
