-- What must be true between any two transactions. Each part selects what breaks its rule, and says of which business.

-- check: stock is the sum of its ledger
select stock.business_id, stock.product_id, stock.variant_id, stock.quantity, coalesce(ledger.total, 0) as ledger
  from catalog.stock
  left join (select business_id, product_id, variant_id, sum(delta) as total
               from catalog.stock_movements
              group by business_id, product_id, variant_id) as ledger using (business_id, product_id, variant_id)
 where stock.quantity <> coalesce(ledger.total, 0)

-- check: no stock is below zero
select business_id, product_id, variant_id, quantity
  from catalog.stock
 where quantity < 0

-- check: movements are numbered from 1 without a gap, the last is the stock's version
select business_id, product_id, variant_id, stock.version, ledger.movements, ledger.lowest, ledger.highest
  from catalog.stock
  full join (select business_id, product_id, variant_id, count(*) as movements, min(number) as lowest, max(number) as highest
               from catalog.stock_movements
              group by business_id, product_id, variant_id) as ledger using (business_id, product_id, variant_id)
 where stock.version is distinct from coalesce(ledger.highest, 0)
    or coalesce(ledger.lowest, 1) <> 1
    or ledger.movements <> ledger.highest

-- check: each movement notes what was there after it
select business_id, product_id, variant_id, number, delta, quantity, running
  from (select *, sum(delta) over (partition by business_id, product_id, variant_id order by number) as running
          from catalog.stock_movements) as walked
 where quantity <> running or quantity < 0

-- check: a document has a gap for the stock of each variant
select product.business_id, product.id, gaps, coalesce(variants, 0) as variants
  from catalog.products as product
 cross join lateral (select length(product.document) - length(replace(product.document, chr(1), '')) as gaps) as counted
  left join (select business_id, product_id as id, count(*) as variants
               from catalog.stock
              where position is not null
              group by business_id, product_id) as stock using (business_id, id)
 where product.status <> 'DELETED' and gaps <> coalesce(variants, 0)
