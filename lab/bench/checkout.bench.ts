import { fork } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import Fastify from 'fastify'
import type pg from 'pg'
import { findViolations } from '../../test/scenarios/buyers.ts'
import type { Load, LoadReport } from '../../test/scenarios/load-child.ts'
import { startChild } from '../../test/support/child.ts'
import { onServer } from '../../test/support/database.ts'
import { createMake, type Make } from '../../test/support/make.ts'
import { startApi } from '../../test/support/start-api.ts'
import { type Figure, median, type Run } from '../report/figures.ts'
import {
  bestFigures,
  CLIENTS,
  clientCharts,
  clientTable,
  FASTIFY,
  KONTOR,
  listen,
  openBarePool,
  PGBENCH,
  pgbench,
  ratio,
  takeTurns,
} from './support.ts'

export const title = 'Checkout against the same writes as one bare function: spread over 1,000 variants, and all on one'

const SPREAD = 'spread'
const HOT = 'one hot variant'
const WITH_JOBS = 'pgbench, with jobs'
const [PRODUCTS, VARIANTS] = [10, 100]
const STOCK = 1_000_000

/** What an order writes, without asking anything: stock, ledger, order, event; with `jobs` also what a free order sets off. */
const BARE = `
  create schema bench;
  create table bench.variants (number integer primary key, business_id text, product_id text, variant_id text);
  create function bench.place(which integer, jobs boolean) returns text language plpgsql as $$
  declare
    variant bench.variants;
    taken catalog.stock;
    id text := 'ord_' || lpad(to_hex((extract(epoch from clock_timestamp()) * 1000000)::bigint), 16, '0')
                      || substr(md5(random()::text), 1, 10);
    at timestamptz := clock_timestamp();
    line json;
  begin
    select * into strict variant from bench.variants where number = which;
    update catalog.stock set quantity = quantity - 1, version = version + 1
     where business_id = variant.business_id and product_id = variant.product_id and variant_id = variant.variant_id
       and quantity >= 1
    returning * into strict taken;
    insert into catalog.stock_movements
           (business_id, product_id, variant_id, number, delta, quantity, kind, reference, created_at)
    values (taken.business_id, taken.product_id, taken.variant_id, taken.version, -1, taken.quantity, 'ORDER', id, at);
    line := json_build_array(json_build_object('type', 'PRODUCT_VARIANT', 'productId', taken.product_id, 'variantId',
      taken.variant_id, 'quantity', 1, 'unitPrice', 0, 'totalPrice', 0, 'name', 'Product, One size', 'sku', 'SKU', 'taken', 1));
    insert into orders.orders
           (business_id, id, number, customer_id, market, currency, lines, subtotal, tax, shipping, discount, total,
            payment_method, blocks, statuses, status, payment_statuses, payment_status, trace, request_hash, created_at, updated_at)
    values (taken.business_id, id, id, 'usr_01jcq3v7k8f5t9x2m4n6p8r0sw', 'us', 'USD', line, 0, 0, 0, 0, 0, 'CREDIT_CARD', '[]',
            '[{"id":"sts_01jcq3v7k8f5t9x2m4n6p8r0sw","status":"PROCESSING","changedBy":"SYSTEM","timestamp":1790000000}]',
            'PROCESSING',
            '[{"id":"sts_01jcq3v7k8f5t9x2m4n6p8r0sw","status":"PAID","changedBy":"SYSTEM","timestamp":1790000000}]', 'PAID',
            line, sha256(id::bytea), at, at);
    insert into cell.event_outbox (business_id, id, type, subject, actor_kind, data, occurred_at)
    values (taken.business_id, 'evt_' || id, 'order.created', id, 'user', '{"total":0,"number":"2222-2222","currency":"USD"}', at);
    if jobs then
      insert into cell.event_outbox (business_id, id, type, subject, actor_kind, data, occurred_at)
      values (taken.business_id, 'evp_' || id, 'order.paid', id, 'system', '{"total":0,"number":"2222-2222","currency":"USD"}', at);
      perform graphile_worker.add_job('checkout.send-confirmation', json_build_object('businessId', taken.business_id, 'orderId', id));
      perform graphile_worker.add_job('checkout.send-new-order', json_build_object('businessId', taken.business_id, 'orderId', id));
    end if;
    return id;
  end $$`

/** A shop with a thousand variants that cost nothing and never run out. */
export async function fill(make: Make) {
  const shop = await make.shop({ cell: 'main' })
  const variants: { productId: string; variantId: string }[] = []
  const pricing = { markets: [{ marketId: 'us', price: 0 }] }
  for (let product = 0; product < PRODUCTS; product++) {
    const ids = Array.from({ length: VARIANTS }, (_, index) => `v${index}`)
    const { id } = await make.product(shop, {
      variants: ids.map((id) => ({ id, pricing, inventory: { tracked: true, quantity: STOCK } })),
    })
    variants.push(...ids.map((variantId) => ({ productId: id, variantId })))
  }
  return { ...shop, variants }
}

/** Side by side in one run, interleaved: HTTP with one API process, and pgbench on the same tables in the same database. */
export async function run(options: Run) {
  const { note } = options
  const api = await startApi() // prepares; the one that is measured is a process of its own
  const make = createMake(api)
  const [shop, bare] = [await fill(make), await fill(make)]
  const tokens: string[] = []
  for (let count = 0; count < Math.max(...CLIENTS); count++) tokens.push((await make.guest()).token)
  const { url: databaseUrl } = api.databases.main
  await onServer(async (client) => {
    await client.query(BARE)
    await client.query(
      `insert into bench.variants
       select number, $1, product_id, variant_id
         from unnest($2::text[], $3::text[]) with ordinality as variant (product_id, variant_id, number)`,
      [bare.id, bare.variants.map(({ productId }) => productId), bare.variants.map(({ variantId }) => variantId)],
    )
    await client.query('analyze')
  }, databaseUrl)

  const measured = await startChild('api', api.databases.env)
  const loader = fork(path.join(import.meta.dirname, '../../test/scenarios/load-child.ts'))

  const pool = openBarePool(databaseUrl)
  const server = await startBare(pool, bare)

  async function buy(url: string, { path, variants }: typeof shop, isHot: boolean, clients: number, seconds: number) {
    const some = isHot ? variants.slice(0, 1) : variants
    const load: Load = { path, url, tokens, variants: some, clients, ms: seconds * 1000 }
    loader.send(load)
    const [{ perSecond, refusals }] = (await once(loader, 'message')) as [LoadReport]
    if (Object.keys(refusals).length > 0) throw new Error(JSON.stringify(refusals))
    return perSecond
  }
  const place = (isHot: boolean, jobs: boolean) => (clients: number, seconds: number) => {
    const last = isHot ? 1 : PRODUCTS * VARIANTS
    const script = `\\set which random(1, ${last})\nselect bench.place(:which, ${jobs});\n`
    return pgbench({ url: databaseUrl, script, clients, seconds })
  }
  const columns = (isHot: boolean) => ({
    [KONTOR]: (clients: number, seconds: number) => buy(measured.url, shop, isHot, clients, seconds),
    [FASTIFY]: (clients: number, seconds: number) => buy(server.url, bare, isHot, clients, seconds),
    [PGBENCH]: place(isHot, false),
    [WITH_JOBS]: place(isHot, true),
  })
  // Each starts with an empty queue, as a worker would keep it: in a long one, jobs take ten times as long to add.
  const reset = () => onServer((client) => client.query('truncate graphile_worker._private_jobs'), databaseUrl)
  const rates = await takeTurns(
    { [SPREAD]: columns(false), [HOT]: columns(true) },
    { ...options, seconds: 2, reset: async () => void (await reset()) },
  )
  loader.disconnect()
  await measured.kill()
  await server.close()
  await pool.end()
  const violations = await findViolations(shop.db)
  for (const violation of violations) note(violation)
  await api.close()

  const hot = (clients: number) => median(rates.of(HOT, KONTOR, clients))
  const steady = hot(64) / hot(1)
  return {
    figures: [
      ...bestFigures(rates, 'orders/s'),
      ...[SPREAD, HOT].flatMap((what) => [
        ratio(rates, what, PGBENCH, 0.5),
        ratio(rates, what, FASTIFY),
        ratio(rates, what, WITH_JOBS),
      ]),
      ...(options.quick
        ? []
        : [{ name: `${HOT}: 64 clients / 1 client`, value: steady, unit: '×', goal: '≥ 1', ok: steady >= 1 }]),
      { name: 'rules broken', value: violations.length, unit: '', goal: '0', ok: violations.length === 0 },
    ] satisfies Figure[],
    charts: clientCharts(rates, 'orders/s'),
    tables: [clientTable(rates, 'orders/s')],
  }
}

/** The bare function behind a server: no token, no access, no prices, no check of the body. */
async function startBare(pool: pg.Pool, { path, variants }: Awaited<ReturnType<typeof fill>>) {
  const numbers = new Map(variants.map(({ productId, variantId }, index) => [`${productId}/${variantId}`, index + 1]))
  const app = Fastify()
  type Body = { items: [{ productId: string; variantId: string }] }
  app.post<{ Body: Body }>(`${path}/orders/checkout`, async ({ body }) => {
    const [{ productId, variantId }] = body.items
    const values = [numbers.get(`${productId}/${variantId}`)]
    const { rows } = await pool.query<{ place: string }>({
      name: 'place',
      text: 'select bench.place($1, true)',
      values,
    })
    return { orderId: rows[0]?.place }
  })
  return { url: await listen(app), close: () => app.close() }
}
