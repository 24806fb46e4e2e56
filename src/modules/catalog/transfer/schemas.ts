import { type Static, Type } from 'typebox'
import {
  anyOf,
  BusinessId,
  Id,
  MarketId,
  Nullable,
  OneOf,
  PageQuery,
  ProductId,
  UserId,
  VariantId,
} from '#vocabulary/schemas.ts'
import { WARNINGS } from '../products/changes.ts'
import { productImport } from './import-products.ts'

export const IMPORT_FORMATS = ['ndjson', 'csv', 'shopify-csv', 'woocommerce-csv'] as const
export type ImportFormat = (typeof IMPORT_FORMATS)[number]
export const LINE_STATUSES = ['FAILED', 'CREATED', 'CHANGED', 'UNCHANGED', 'SKIPPED', 'UNDONE', 'KEPT'] as const
export type LineStatus = (typeof LINE_STATUSES)[number]

const PICTURE_CHOICES = ['keep', 'fetch'] as const
export const MAX_FAILURES = 50
const FileName = Type.String({ minLength: 1, maxLength: 200, examples: ['products_export.csv'] })
const Count = (description: string) => Type.Integer({ minimum: 0, description, examples: [0] })

export const ImportQuery = Type.Object({
  dryRun: Type.Optional(
    Type.Boolean({ description: 'Writes nothing, but reports what each line would do, for `apply` or `discard`.' }),
  ),
  format: Type.Optional(
    OneOf(IMPORT_FORMATS, { description: 'What the file is; by default as its content type says: `ndjson` or `csv`.' }),
  ),
  market: Type.Optional(
    Type.String({
      ...MarketId,
      description: 'Of a Shopify or WooCommerce file: whose prices it has. Not needed when there is one market.',
    }),
  ),
  fileName: Type.Optional(Type.String({ ...FileName, description: 'For the history.' })),
  pictures: Type.Optional(
    OneOf(PICTURE_CHOICES, {
      default: 'keep',
      description:
        '`fetch`: after the import, pictures that lines name by address are loaded into the library, and products show these files. An address that cannot be loaded stays.',
    }),
  ),
})
export type ImportQuery = Static<typeof ImportQuery>

const Pictures = Type.Object(
  {
    total: Count('Pictures with an address that is to be loaded; one that two products show counts twice.'),
    waiting: Count('Not loaded yet, or not READY yet.'),
    fetched: Count('Loaded: products show the files, if they still had the addresses.'),
    failed: Count('Given up: products keep the addresses.'),
    failures: Type.Array(
      Type.Object(
        {
          address: Type.String({ examples: ['https://example.com/mug.jpg'] }),
          problem: Type.String({
            description:
              '`ADDRESS_NOT_ALLOWED`, `UNREACHABLE`, `TIMED_OUT`, `TOO_MANY_REDIRECTS`, `REFUSED`, `TOO_LARGE`, `INCOMPLETE`, `NOT_A_PICTURE`, `QUOTA_EXCEEDED`, `TOO_MANY_FILES`, or why an upload is rejected.',
            examples: ['UNREACHABLE'],
          }),
        },
        { title: 'PictureFailure' },
      ),
      { description: `The first ${MAX_FAILURES} of those that failed, by line.` },
    ),
  },
  { title: 'ImportPictures', description: 'Null unless the import was sent with `pictures=fetch`.' },
)

export const Import = Type.Object(
  {
    ...productImport.Import.properties,
    isDryRun: Type.Boolean({ description: 'It began with a dry run.', examples: [true] }),
    format: Nullable(OneOf(IMPORT_FORMATS)),
    marketId: Nullable(MarketId),
    fileName: Nullable(FileName),
    isUndoable: Type.Boolean({ description: 'False: it has more than 100,000 lines.', examples: [true] }),
    undone: Count('Products that an undo has put back or archived.'),
    kept: Count('Products that an undo left alone: somebody has changed them since.'),
    warnings: Type.Array(Type.Object({ code: OneOf(WARNINGS), count: Count('Lines.') }, { title: 'ImportWarning' }), {
      description:
        '`PRICE_DROP`: a price falls by more than 30 %. `PRICE_ZERO`: it becomes 0. `NOT_SOLD`: an ACTIVE product no longer is, or a price is taken away. `VARIANT_REMOVED`, `STOCK_SET`: as they say.',
    }),
    pictures: Nullable(Pictures),
    createdBy: Nullable(UserId),
  },
  { title: 'Import' },
)
export type Import = Static<typeof Import>

const Value = Type.Unsafe<unknown>({
  description: 'A text, number, list or object, as the field has it; the beginning of what is long.',
  examples: [1999],
})

const line = {
  number: Type.Integer({ minimum: 1, description: 'The line of the file.', examples: [17] }),
  status: OneOf(LINE_STATUSES, {
    description:
      'What the line does, or has done. `SKIPPED`: left alone. `UNDONE`, `KEPT`: what an undo made of it. `FAILED`: see `details`.',
  }),
  productId: Nullable(ProductId),
  name: Nullable(Type.String({ examples: ['T-shirt'] })),
  changes: Type.Array(
    Type.Object(
      {
        field: Type.String({ examples: ['price'] }),
        marketId: Nullable(MarketId),
        variantId: Nullable(VariantId),
        variantName: Nullable(Type.String({ examples: ['Red, XL'] })),
        sku: Nullable(Type.String({ examples: ['TS-RED-XL'] })),
        before: Value,
        after: Value,
      },
      { title: 'ImportChange' },
    ),
  ),
  warnings: Type.Array(OneOf(WARNINGS)),
  details: Type.Array(
    Type.Object({
      field: Type.String({ examples: ['name'] }),
      error: Type.String({ examples: ['TOO_SHORT'] }),
      message: Type.String({ examples: ['Fill in the name.'] }),
    }),
  ),
}
export const ImportLine = Type.Object(line, { title: 'ImportLine' })
export type ImportLine = Static<typeof ImportLine>

const Sent = Type.Record(Type.String(), Type.Unknown(), {
  description: 'As in `POST /products`, but nothing of it needs to be right.',
  examples: [{ name: 'T-shirt', slug: 't-shirt' }],
})
export const ImportLineDetails = Type.Object(
  {
    ...line,
    product: Type.Union([Sent, Type.Null()], {
      description: 'The line as the import reads it. `null`: not readable, or no longer kept.',
    }),
  },
  { title: 'ImportLineDetails' },
)
export type ImportLineDetails = Static<typeof ImportLineDetails>

export const CorrectedLine = Type.Object({ product: Sent })
export type CorrectedLine = Static<typeof CorrectedLine>

export const LineParams = Type.Object({
  businessId: BusinessId,
  id: Id,
  number: Type.Integer({ minimum: 1, maximum: 2_147_483_647 }),
})

export const LineQuery = Type.Object({
  ...PageQuery,
  status: anyOf(OneOf(LINE_STATUSES), 'What it does.'),
  warning: Type.Optional(OneOf(WARNINGS)),
})
export type LineQuery = Static<typeof LineQuery>
