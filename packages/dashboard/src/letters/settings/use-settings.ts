import type { Body } from '@kontor/sdk'
import { etagOf, KontorError } from '@kontor/sdk'
import { useLingui } from '@lingui/react/macro'
import { useRef, useState } from 'react'
import { kontor } from '../../api/client.ts'
import { invalidate } from '../../api/query.ts'
import { isSame } from '../../merge/is-same.ts'
import { saveMerged } from '../../merge/save.ts'
import { useMerge } from '../../merge/use-merge.tsx'
import { untilKnown } from '../../outbox/until-known.ts'
import { useAsk } from '../../outbox/use-outbox.ts'
import { useBusiness } from '../../session/use-business.ts'
import { useProblem } from '../../ui/problem.tsx'
import { toast } from '../../ui/toast.tsx'
import { useDraft } from '../../ui/use-draft.ts'
import type { Newsletter } from '../types.ts'

export type Addresses = { productUrl: string; previewUrl: string }
export type Counting = { countClicks: boolean; countOpens: boolean }
/** Only what differs from what is saved. */
type Typed = { shop?: Partial<Addresses>; newsletters?: Record<string, Partial<Counting>> }
type Shop = { storefront?: { productUrl?: string | null; previewUrl?: string | null } | undefined }

const addressesOf = ({ storefront }: Shop): Addresses => ({
  productUrl: storefront?.productUrl ?? '',
  previewUrl: storefront?.previewUrl ?? '',
})
const countingOf = ({ countClicks = false, countOpens = false }: Partial<Counting>): Counting => ({
  countClicks,
  countOpens,
})

/** What differs, field by field. */
const changesOf = <Value extends object>(base: Value, mine: Value): Partial<Value> =>
  Object.fromEntries(
    Object.entries(mine).filter(([name, value]) => !isSame(value, base[name as keyof Value])),
  ) as Partial<Value>

/** The settings around letters: of the shop, and of each newsletter. Kept over a reload, named in the save bar. */
export function useSettings(newsletters: readonly Newsletter[]) {
  const { t } = useLingui()
  const business = useBusiness()
  const ask = useAsk()
  const wordsOf = useProblem()
  const names = useNames()
  const [typed, setTyped] = useDraft<Typed>(`letters-and-shop:${business.id}`)
  const latest = useRef(typed)
  const keep = (next: Typed) => {
    const isEmpty = [next.shop ?? {}, ...Object.values(next.newsletters ?? {})].every(
      (one) => Object.keys(one).length === 0,
    )
    latest.current = isEmpty ? undefined : next
    setTyped(latest.current)
  }
  const [isSaving, setIsSaving] = useState(false)
  const [refused, setRefused] = useState<Record<string, string>>({})
  const show = (value: unknown) => (typeof value === 'boolean' ? (value ? t`yes` : t`no`) : String(value) || t`none`)
  const { decide: decideAddresses, sheet: shopSheet } = useMerge<Addresses>(
    (field) => names[field as 'productUrl'],
    show,
  )
  const { decide: decideCounting, sheet: countingSheet } = useMerge<Counting>(
    (field) => names[field as 'countClicks'],
    show,
  )

  const saved = addressesOf(business)
  const shop = { ...saved, ...typed?.shop }
  const countsOf = (newsletter: Newsletter) => ({ ...countingOf(newsletter), ...typed?.newsletters?.[newsletter.id] })
  const changedShop = changesOf(saved, shop)
  const changedOf = (newsletter: Newsletter) => changesOf(countingOf(newsletter), countsOf(newsletter))
  const changes = [
    ...Object.entries(changedShop).map(([field, value]) => `${names[field as 'productUrl']}: ${show(value)}`),
    ...newsletters.flatMap((newsletter) =>
      Object.entries(changedOf(newsletter)).map(
        ([field, value]) => `${newsletter.name}, ${names[field as 'countClicks']}: ${show(value)}`,
      ),
    ),
  ]

  const saveShop = () =>
    saveMerged<Addresses, unknown>({
      base: saved,
      mine: shop,
      etag: undefined, // it is read first
      write: (mine, ifMatch) => {
        const storefront: NonNullable<Body<'updateBusiness'>['storefront']> = {
          productUrl: mine.productUrl.trim() || null,
          previewUrl: mine.previewUrl.trim() || null,
        }
        const label = t`Save the addresses of the shop`
        return ask({
          operation: 'updateBusiness',
          input: { body: { storefront } },
          label,
          about: [business.id],
          ifMatch,
        })
      },
      read: async () => {
        const now = await untilKnown(() => kontor.operations.getBusiness({ path: { businessId: business.id } }))
        return { value: addressesOf(now), etag: etagOf(now) }
      },
      decide: decideAddresses,
    })
  const saveNewsletter = (newsletter: Newsletter) =>
    saveMerged<Counting, unknown>({
      base: countingOf(newsletter),
      mine: countsOf(newsletter),
      etag: undefined,
      write: (body, ifMatch) =>
        ask({
          operation: 'updateCollection',
          input: { path: { id: newsletter.id }, body },
          label: t`Save what ${newsletter.name} counts`,
          about: [newsletter.id],
          ifMatch,
        }),
      read: async () => {
        const path = { businessId: business.id, id: newsletter.id }
        const now = await untilKnown(() => kontor.operations.getCollection({ path }))
        return { value: countingOf(now), etag: etagOf(now) }
      },
      decide: decideCounting,
    })

  /** What was saved is not typed any more, unless it was typed over meanwhile. */
  const forget = (sent: Typed) => {
    const now = latest.current
    const newsletters = Object.fromEntries(
      Object.entries(now?.newsletters ?? {}).map(([id, counts]) => [
        id,
        changesOf(sent.newsletters?.[id] ?? {}, counts),
      ]),
    )
    keep({ shop: changesOf(sent.shop ?? {}, now?.shop ?? {}), newsletters })
  }

  /** Each record by itself: what one refuses does not keep the others from being saved. */
  const save = async () => {
    setIsSaving(true)
    setRefused({})
    const problems: unknown[] = []
    let isLeft = false
    const attempt = async (work: () => Promise<unknown>, done: () => void) => {
      try {
        if ((await work()) === undefined) isLeft = true
        else done()
      } catch (error) {
        problems.push(error)
        if (error instanceof KontorError)
          setRefused(Object.fromEntries(error.details.map(({ field, message }) => [field, message])))
      }
    }
    if (Object.keys(changedShop).length > 0) await attempt(saveShop, () => forget({ shop: typed?.shop ?? {} }))
    for (const newsletter of newsletters)
      if (Object.keys(changedOf(newsletter)).length > 0)
        await attempt(
          () => saveNewsletter(newsletter),
          () => forget({ newsletters: { [newsletter.id]: typed?.newsletters?.[newsletter.id] ?? {} } }),
        )
    await invalidate('-', ['listBusinesses'])
    setIsSaving(false)
    if (problems.length > 0) toast(t`Not saved; what you typed is still there. ${wordsOf(problems[0]).what}`)
    else if (!isLeft) toast(t`Saved.`)
  }

  return {
    shop,
    countsOf,
    changes,
    isSaving,
    save,
    sheets: [shopSheet, countingSheet],
    isChanged: (field: keyof Addresses) => field in changedShop,
    refusalOf: (field: keyof Addresses) => refused[`storefront.${field}`],
    discard: () => {
      setRefused({})
      keep({})
    },
    changeShop: (field: keyof Addresses, value: string) => {
      setRefused({})
      keep({ ...typed, shop: changesOf(saved, { ...shop, [field]: value }) })
    },
    changeCounting: (newsletter: Newsletter, field: keyof Counting, value: boolean) =>
      keep({
        ...typed,
        newsletters: {
          ...typed?.newsletters,
          [newsletter.id]: changesOf(countingOf(newsletter), { ...countsOf(newsletter), [field]: value }),
        },
      }),
  }
}

export function useNames(): Record<keyof Addresses | keyof Counting, string> {
  const { t } = useLingui()
  return {
    productUrl: t`Page of a product`,
    previewUrl: t`Preview of an entry`,
    countClicks: t`Count clicks`,
    countOpens: t`Count opened letters`,
  }
}
