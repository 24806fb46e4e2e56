-- What must be true between any two transactions. Each part selects what breaks its rule, and says of which business.

-- check stock-ledger: stock is the sum of its ledger
-- pieces: product_id of catalog.stock (product_id)
select stock.business_id, stock.product_id, stock.variant_id, stock.quantity, ledger.total as ledger
  from catalog.stock
 cross join lateral (
   select coalesce(sum(delta), 0) as total
     from catalog.stock_movements as movement
    where movement.business_id = stock.business_id and movement.product_id = stock.product_id
      and movement.variant_id = stock.variant_id) as ledger
 where stock.quantity <> ledger.total

-- check stock-not-negative: no stock is below zero
-- pieces: product_id of catalog.stock (product_id)
select business_id, product_id, variant_id, quantity
  from catalog.stock
 where quantity < 0

-- check stock-numbers: movements are numbered from 1 without a gap, the last is the stock's version
-- pieces: product_id of catalog.stock_movements (product_id)
select business_id, product_id, variant_id, max(version) as version, count(number) as movements, min(number) as lowest,
       max(number) as highest
  from (select business_id, product_id, variant_id, version, null as number from catalog.stock
         union all
        select business_id, product_id, variant_id, null, number from catalog.stock_movements) as both_say
 group by business_id, product_id, variant_id
having max(version) is distinct from coalesce(max(number), 0)
    or coalesce(min(number), 1) <> 1
    or count(number) <> coalesce(max(number), 0)

-- check stock-steps: each movement notes what was there after it
-- pieces: product_id of catalog.stock_movements (product_id)
select business_id, product_id, variant_id, number, delta, quantity, running
  from (select *, sum(delta) over (partition by business_id, product_id, variant_id order by number) as running
          from catalog.stock_movements) as walked
 where quantity <> running or quantity < 0

-- check product-stock-places: a document has a gap for the stock of each variant
-- pieces: product_id of catalog.products (id)
select product.business_id, product.id as product_id, gaps, variants
  from catalog.products as product
 cross join lateral (select length(product.document) - length(replace(product.document, chr(1), '')) as gaps) as counted
 cross join lateral (
   select count(*) as variants
     from catalog.stock
    where stock.business_id = product.business_id and stock.product_id = product.id and position is not null) as known
 where product.status <> 'DELETED' and gaps <> variants

-- check category-tree: categories are a tree, at most six deep
-- Six above one are one too many; in a circle they never end.
select category.business_id, category.id as category_id, category.parent_id
  from catalog.categories as category
  join catalog.categories as second on second.business_id = category.business_id and second.id = category.parent_id
  join catalog.categories as third on third.business_id = category.business_id and third.id = second.parent_id
  join catalog.categories as fourth on fourth.business_id = category.business_id and fourth.id = third.parent_id
  join catalog.categories as fifth on fifth.business_id = category.business_id and fifth.id = fourth.parent_id
  join catalog.categories as sixth on sixth.business_id = category.business_id and sixth.id = fifth.parent_id
 where sixth.parent_id is not null

-- check category-slugs: the slugs of categories are those of their locales
select business_id, category_id, slug, said.slug is not null as is_said, kept.slug is not null as is_kept
  from (select business_id, id as category_id, slug
          from catalog.categories
         union
        select business_id, id, translation.value ->> 'slug'
          from catalog.categories
         cross join json_each(translations) as translation
         where translation.value ->> 'slug' is not null) as said
  full join catalog.category_slugs as kept using (business_id, category_id, slug)
 where said.slug is null or kept.slug is null

-- check product-lists: lists know every product as it is, and none that is deleted
-- pieces: product_id of catalog.products (id)
select product.business_id, product.id as product_id, product.status, listing.status as listed
  from catalog.products as product
  left join catalog.listing on listing.business_id = product.business_id and listing.product_id = product.id and listing.market_id = ''
 where (listing.status, listing.category)
       is distinct from (case when product.status <> 'DELETED' then product.status end, case when product.status <> 'DELETED' then product.category end)

-- check product-markets: lists know a product in a market only where it has a price, and only as it is known without a market
-- pieces: product_id of catalog.listing (product_id)
select business_id, product_id, market_id, price
  from (select listing.*, first_value(market_id) over product as plain_market,
               first_value(status) over product as plain_status, first_value(name_key) over product as plain_name_key,
               first_value(category) over product as plain_category, first_value(is_in_stock) over product as plain_is_in_stock,
               first_value(marks) over product as plain_marks
          from catalog.listing
        window product as (partition by business_id, product_id order by market_id)) as listed
 where (market_id = '') <> (price is null)
    or (plain_market, plain_status, plain_name_key, plain_category, plain_is_in_stock, plain_marks)
       is distinct from ('', status, name_key, category, is_in_stock, marks)

-- check stocktakes: a stocktake has changed the ledger by what it says
select business_id, id as stocktake_id, stocktakes.changed, stocktakes.delta, ledger.movements, ledger.delta as ledger_delta
  from catalog.stocktakes
  full join (select business_id, reference as id, count(*) as movements, sum(delta) as delta
               from catalog.stock_movements
              where kind = 'COUNT'
              group by business_id, reference) as ledger using (business_id, id)
 where stocktakes.changed is null
    or (stocktakes.changed, stocktakes.delta) is distinct from (coalesce(ledger.movements, 0), coalesce(ledger.delta, 0))

-- check stock-list: the list of stock has every variant that is tracked, and nothing else
-- pieces: product_id of catalog.stock (product_id)
-- Skips products with a pending event.
with waiting as not materialized (
  select business_id, subject as product_id from cell.event_outbox where starts_with(type, 'product.')
  union all
  select business_id, subject from cell.followed where topic = 'stock-list'
)
select business_id, product_id, variant_id, is_tracked, is_listed
  from (select stock.business_id, stock.product_id, stock.variant_id, product.updated_at,
               product.status <> 'DELETED' and stock.position is not null and stock.tracked as is_tracked,
               listed.variant_id is not null as is_listed
          from catalog.stock
          join catalog.products as product on product.business_id = stock.business_id and product.id = stock.product_id
          left join catalog.stock_list as listed
            on listed.business_id = stock.business_id and listed.product_id = stock.product_id
               and listed.variant_id = stock.variant_id) as compared
 where is_tracked <> is_listed and updated_at < now() - interval '10 minutes'
   and not exists (select from waiting
                    where waiting.business_id = compared.business_id and waiting.product_id = compared.product_id)

-- check bulk-edit-items: a bulk edit counts its items as they are
-- What was thrown away loses its items a slice at a time.
select edit.business_id, edit.id as bulk_edit_id, edit.total, counted.items
  from catalog.bulk_edits as edit
 cross join lateral (
   select count(*) as items, count(*) filter (where status = 'UNCHANGED') as unchanged,
          count(*) filter (where status = 'REFUSED') as refused, count(*) filter (where status = 'SKIPPED') as skipped,
          count(*) filter (where status in ('APPLIED', 'UNDONE', 'KEPT')) as applied,
          count(*) filter (where status = 'UNDONE') as undone, count(*) filter (where status = 'KEPT') as kept,
          count(*) filter (where status in ('PENDING', 'APPLIED', 'SKIPPED', 'UNDONE', 'KEPT')) as changing
     from catalog.bulk_edit_items as item
    where item.business_id = edit.business_id and item.bulk_edit_id = edit.id) as counted
 where edit.status <> 'DISCARDED'
   and (edit.total, edit.unchanged, edit.refused, edit.skipped, edit.applied, edit.undone, edit.kept, edit.changing)
       is distinct from (counted.items, counted.unchanged, counted.refused, counted.skipped, counted.applied, counted.undone,
                         counted.kept, counted.changing)

-- check import-lines: the lines of an import that is finished, or of a dry run, add up to its file
select business_id, id as import_id, status, total, created, updated, unchanged, skipped, failed
  from catalog.imports
 where status in ('READY', 'DONE', 'STOPPED', 'UNDONE') and created + updated + unchanged + skipped + failed <> total

-- check import-report: the report of an import that can be undone has its lines
-- What is thrown away goes a little later.
select business_id, id as import_id, status, created, updated, reported.count
  from catalog.imports
 cross join lateral (select count(*) as count
                       from catalog.import_items as item
                      where item.business_id = imports.business_id and item.import_id = imports.id
                        and item.status in ('CREATED', 'CHANGED')) as reported
 where is_undoable and status in ('READY', 'DONE') and created + updated <> reported.count
