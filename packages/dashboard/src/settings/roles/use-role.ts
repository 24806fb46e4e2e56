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
import { usePermissionLine } from '../../session/permission-words.ts'
import { useBusiness } from '../../session/use-business.ts'
import { useProblem } from '../../ui/problem.tsx'
import { toast } from '../../ui/toast.tsx'
import { useDraft } from '../../ui/use-draft.ts'
import type { Role } from '../queries.ts'
import type { RoleForm } from './role-fields.tsx'

const toForm = ({ name, permissions }: RoleForm): RoleForm => ({ name, permissions: permissions.toSorted() })

/** A role as it is changed: kept over a reload, named in the save bar, merged with what others saved. */
export function useRole(role: Role) {
  const { t } = useLingui()
  const business = useBusiness()
  const ask = useAsk()
  const wordsOf = useProblem()
  const roleWords = usePermissionLine()
  const [draft, setDraft] = useDraft<{ base: RoleForm; etag: string; mine: RoleForm }>(`role:${role.id}`)
  const latest = useRef(draft)
  latest.current = draft
  const [isSaving, setIsSaving] = useState(false)
  const [refused, setRefused] = useState<string>()
  const names: Record<keyof RoleForm, string> = { name: t`Name`, permissions: t`May` }
  const show = (value: unknown) => (Array.isArray(value) ? roleWords(value) : String(value))
  const { decide, sheet } = useMerge<RoleForm>((field) => names[field], show)
  const base = draft?.base ?? toForm(role)
  const form = draft?.mine ?? base
  const changed = (['name', 'permissions'] as const).filter((field) => !isSame(form[field], base[field]))
  const change = (changes: Partial<RoleForm>) => {
    const mine = { ...form, ...changes }
    setRefused(undefined)
    setDraft(isSame(mine, base) ? undefined : { base, etag: draft?.etag ?? etagOf(role), mine })
  }
  const save = async () => {
    if (!draft) return
    setIsSaving(true)
    let before = draft.base
    try {
      const saved = await saveMerged<RoleForm, unknown>({
        base: draft.base,
        mine: draft.mine,
        etag: draft.etag,
        write: (mine, ifMatch) =>
          ask({
            operation: 'updateRole',
            input: {
              path: { id: role.id },
              body: {
                ...(mine.name !== before.name && { name: mine.name.trim() }),
                ...(!isSame(mine.permissions, before.permissions) && { permissions: mine.permissions }),
              },
            },
            label: t`Save the role ${role.name}`,
            about: [role.id],
            ifMatch,
          }),
        read: async () => {
          const path = { businessId: business.id, id: role.id }
          const now = await untilKnown(() => kontor.operations.getRole({ path }))
          before = toForm(now)
          return { value: before, etag: etagOf(now) }
        },
        decide,
      })
      if (saved === undefined) return
      const typed = latest.current?.mine
      setDraft(typed && !isSame(typed, draft.mine) ? { ...draft, base: draft.mine, mine: typed } : undefined)
      await invalidate('-', ['getMe']) // it may be one's own
      toast(t`Changes saved`)
    } catch (error) {
      if (error instanceof KontorError) setRefused(error.details[0]?.message ?? error.message)
      toast(t`Couldn’t save. Your changes are still here. ${wordsOf(error).what}`)
    } finally {
      setIsSaving(false)
    }
  }
  return {
    form,
    isSaving,
    change,
    save,
    sheet,
    refused,
    isChanged: (field: keyof RoleForm) => changed.includes(field),
    changes: changed.map((field) => `${names[field]}: ${show(form[field])}`),
    discard: () => {
      setRefused(undefined)
      setDraft(undefined)
    },
  }
}
