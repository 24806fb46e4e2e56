import { etagOf } from '@kontor/sdk'
import { useLingui } from '@lingui/react/macro'
import { ChevronDown } from 'lucide-react'
import { kontor } from '../../api/client.ts'
import { saveMerged } from '../../merge/save.ts'
import { untilKnown } from '../../outbox/until-known.ts'
import { useAsk } from '../../outbox/use-outbox.ts'
import { useBusiness } from '../../session/use-business.ts'
import { Button } from '../../ui/button.tsx'
import { Menu, MenuItem } from '../../ui/menu.tsx'
import { useProblem } from '../../ui/problem.tsx'
import { toast } from '../../ui/toast.tsx'
import { type Collection, type ContentStatus, statusOf } from '../queries.ts'
import { useStatusNames } from '../words.tsx'

const STATUSES = ['DRAFT', 'PUBLISHED', 'ARCHIVED'] as const

/** Whether anybody outside sees the collection at all. */
export function CollectionStatus({ collection, lacks }: { collection: Collection; lacks: string | undefined }) {
  const { t } = useLingui()
  const business = useBusiness()
  const ask = useAsk()
  const wordsOf = useProblem()
  const names = useStatusNames()
  const now = statusOf(collection)
  const notes: Record<ContentStatus, string> = {
    DRAFT: t`only the team sees it`,
    PUBLISHED: t`everybody sees its published entries`,
    ARCHIVED: t`nobody sees it any more`,
  }
  const set = async (status: ContentStatus) => {
    let before = now
    try {
      await saveMerged<{ status: ContentStatus }, unknown>({
        base: { status: now },
        mine: { status },
        etag: etagOf(collection),
        write: async (next, ifMatch) =>
          next.status === before
            ? next
            : ask({
                operation: 'updateCollection',
                input: { path: { id: collection.id }, body: { statuses: [{ status }] } },
                label: t`${collection.name}: ${names[status]}`,
                about: [collection.id],
                ifMatch,
              }),
        // Somebody else changed it meanwhile; what they did to the status gives way to what was chosen just now.
        read: async () => {
          const path = { businessId: business.id, id: collection.id }
          const read = await untilKnown(() => kontor.operations.getCollection({ path }))
          before = statusOf(read)
          return { value: { status: before }, etag: etagOf(read) }
        },
        decide: async ({ value }) => value,
      })
      toast(t`${collection.name}: ${names[status]}`)
    } catch (error) {
      toast(t`Couldn’t change the status. ${wordsOf(error).what}`)
    }
  }
  if (now === 'DRAFT')
    return <Button look="main" reason={lacks} onClick={() => void set('PUBLISHED')}>{t`Publish the collection`}</Button>
  return (
    <Menu
      align="end"
      trigger={
        <Button icon={ChevronDown} reason={lacks}>
          {t`Status`}
        </Button>
      }
    >
      {STATUSES.filter((status) => status !== now).map((status) => (
        <MenuItem key={status} reason={lacks} end={notes[status]} onClick={() => void set(status)}>
          {names[status]}
        </MenuItem>
      ))}
    </Menu>
  )
}
