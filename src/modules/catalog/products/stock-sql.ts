/** The quantities of the variants of `product`, in the order of the document's placeholders. */
export const STOCK = `
  left join lateral (
    select string_agg(quantity::text, ',' order by position) as quantities, sum(version) as version
      from catalog.stock
     where stock.business_id = product.business_id and stock.product_id = product.id and stock.position is not null
  ) as stock on true`
