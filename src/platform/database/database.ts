import { CamelCasePlugin, Kysely, PostgresDialect, type PostgresPool, type Transaction } from 'kysely'
import type pg from 'pg'
import type { DB as CellTables } from './cell-tables.ts'
import { type Connected, hangUp, isBroken, openPool, type PatientPool, type PoolOptions } from './connection.ts'
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

type Handle = { kind: 'control' | 'cell'; name: string; pool: PatientPool; address: DatabaseAddress }
const handles = new WeakMap<object, Handle>()

export function handleOf(db: object): Handle {
  const handle = handles.get(db)
  if (!handle) throw new TypeError('Not a database opened here (a transaction, perhaps?)')
  return handle
}

export type Databases = {
  control: ControlDb
  cells: ReadonlyMap<string, Db>
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
  const control = wrap<ControlTables>({ kind: 'control', name: 'control', pool: mainPool, address: addresses.control })
  const cells = new Map<string, Db>([
    [MAIN_CELL, wrap<CellTables>({ kind: 'cell', name: MAIN_CELL, pool: mainPool, address: addresses.control })],
  ])
  for (const [name, address] of Object.entries(addresses.cells)) {
    const pool = openPoolFor(address, options)
    pools.push(pool)
    cells.set(name, wrap<CellTables>({ kind: 'cell', name, pool, address }))
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

function wrap<Tables>(handle: Handle): Kysely<Tables> {
  const db = new Kysely<Tables>({
    dialect: new PostgresDialect({ pool: discardingBroken(handle.pool) }),
    plugins: [new CamelCasePlugin({ maintainNestedObjectKeys: true })],
  })
  handles.set(db, handle)
  return db
}

/** Databases that can be taken away from whoever uses them. */
export type Loan = Pick<Databases, 'control' | 'cells'> & {
  /** From now on every statement fails, also those under way. */
  end(reason: string): void
}

/** The same databases, on the same connections, for work that may have to be stopped at once, wherever it is. */
export function lend({ control, cells }: Pick<Databases, 'control' | 'cells'>): Loan {
  const used = new Set<pg.PoolClient>()
  let over: Error | undefined

  function lendPool(pool: PatientPool): PatientPool {
    function connect(callback?: Connected): unknown {
      if (!callback) {
        return new Promise((resolve, reject) => {
          connect((error, client) => (client ? resolve(client) : reject(error)))
        })
      }
      if (over) return callback(over, undefined, () => {})
      return pool.connect((error, client, done) => {
        if (!client) return callback(error, undefined, done)
        const release = client.release.bind(client)
        client.release = (failure) => {
          used.delete(client)
          release(failure)
        }
        if (over) {
          client.release()
          return callback(over, undefined, () => {})
        }
        used.add(client)
        callback(undefined, client, client.release)
      })
    }
    return Object.create(pool, { connect: { value: connect } }) as PatientPool
  }
  const lendOne = <Tables>(db: Kysely<Tables>): Kysely<Tables> => {
    const handle = handleOf(db)
    return wrap<Tables>({ ...handle, pool: lendPool(handle.pool) })
  }
  return {
    control: lendOne(control),
    cells: new Map([...cells].map(([name, cell]) => [name, lendOne(cell)])),
    end(reason) {
      over = new Error(reason)
      for (const client of used) hangUp(client)
    },
  }
}

/** Kysely hands a connection back without saying that it failed; a failed one must not be lent out again. */
function discardingBroken(pool: pg.Pool): PostgresPool {
  return {
    options: pool.options,
    end: () => pool.end(),
    connect: async () => {
      const client = await pool.connect()
      const release = client.release.bind(client)
      client.release = (error) => release(error || isBroken(client))
      return client
    },
  }
}
