import { chooseCell, mayPin } from '#platform/cells/choose-cell.ts'
import { now } from '#platform/clock.ts'
import type { ControlTx } from '#platform/database/database.ts'
import { violatedConstraint } from '#platform/database/errors.ts'
import { notify } from '#platform/database/listener.ts'
import { noOpenCell } from '#platform/http/refusals.ts'
import type { Actor } from '#vocabulary/actor.ts'
import type { Business } from '#vocabulary/business.ts'
import { newBusinessId, newId } from '#vocabulary/ids.ts'
import { slugOf } from '#vocabulary/slugs.ts'
import { audit } from './audit.ts'
import { BUSINESS_CHANGED } from './directory.ts'
import { slugExists } from './errors.ts'
import { toLogo } from './logo.ts'
import { toMarkets } from './queries.ts'
import type { NewBusiness } from './schemas.ts'
import { checkSettings, checkSize } from './settings.ts'

type Creator = {
  ownerId: string
  /** The owner's confirmed address, which the business starts with unless another contact address is sent. */
  ownerEmail: string | null
  /** Undefined on the command line, where the operator names the owner. */
  actor: Actor | undefined
  /** Those that can take a business now. */
  cells: Iterable<string>
  /** The operator has chosen this one of them. */
  pinned?: string | undefined
}

/** The creator becomes its ADMIN. */
export async function createBusiness(
  tx: ControlTx,
  { ownerId, ownerEmail, actor, cells, pinned }: Creator,
  body: NewBusiness,
): Promise<Business> {
  const defaultLocale = body.defaultLocale ?? body.locales?.[0] ?? 'en'
  const settings = { ...body, defaultLocale, locales: body.locales ?? [defaultLocale] }
  checkSettings(settings)
  checkSize(settings)

  const cell = pinned === undefined ? await chooseCell(tx, cells) : (await mayPin(tx, pinned)) && pinned
  if (!cell) throw noOpenCell()

  const id = newBusinessId()
  const business: Business = {
    id,
    name: body.name,
    slug: body.slug ?? `${slugOf(body.name, 'business')}-${id.slice(-5)}`,
    contactEmail: body.contactEmail === undefined ? ownerEmail : body.contactEmail,
    defaultLocale,
    locales: settings.locales,
    allowedOrigins: body.allowedOrigins ?? [],
    orderUrl: body.orderUrl ?? null,
    timeZone: body.timeZone ?? 'UTC',
    keepPersonDays: body.keepPersonDays ?? 0,
    logo: toLogo(body.logo, null),
    storefront: { isPublic: false, showQuantity: false, ...body.storefront },
    markets: toMarkets(body.markets ?? []),
    callouts: null,
    requireSecondFactor: false,
    paymentAccount: null,
    cell,
    heldUntil: null,
    movedAt: null,
    suspendedAt: null,
    suspendedReason: null,
    limits: null,
    version: 1,
    createdAt: now(),
    updatedAt: now(),
  }
  try {
    await tx
      .insertInto('access.businesses')
      .values({
        ...business,
        logo: business.logo && JSON.stringify(business.logo),
        markets: JSON.stringify(business.markets),
      })
      .execute()
    await tx.insertInto('access.businessFigures').values({ businessId: id }).execute()
  } catch (error) {
    throw violatedConstraint(error) === 'businesses_slug_key' ? slugExists({ slug: business.slug }) : error
  }
  const roleId = newId('role')
  await tx
    .insertInto('access.roles')
    .values({ businessId: id, id: roleId, name: 'Admin', permissions: ['ADMIN'], createdAt: now(), updatedAt: now() })
    .execute()
  await tx
    .insertInto('access.memberships')
    .values({ businessId: id, userId: ownerId, roleId, createdAt: now() })
    .execute()
  await audit(tx, { businessId: id, action: 'business.created', subject: id, actor, data: { ownerId } })
  await notify(tx, BUSINESS_CHANGED, id)
  return business
}
