import { useLingui } from '@lingui/react/macro'
import { useFormat } from '../session/use-format.ts'
import { type Fill, Status, type Tone } from '../ui/status.tsx'
import { type BlockType, type Collection, type ContentStatus, statusOf } from './queries.ts'

const DOTS: Record<ContentStatus, { fill: Fill; tone: Tone }> = {
  DRAFT: { fill: 'ring', tone: 'soft' },
  PUBLISHED: { fill: 'full', tone: 'good' },
  ARCHIVED: { fill: 'off', tone: 'soft' },
}

export function useStatusNames(): Record<ContentStatus, string> {
  const { t } = useLingui()
  return { DRAFT: t`Draft`, PUBLISHED: t`Published`, ARCHIVED: t`Archived` }
}

type Stated = { statuses: readonly { status: ContentStatus }[]; publishAt?: number }

/** A draft with a time is on its way: its dot says so. */
export function ContentState({ of }: { of: Stated }) {
  const { t } = useLingui()
  const names = useStatusNames()
  const format = useFormat()
  if (of.publishAt !== undefined)
    return (
      <Status fill="ring" tone="act">
        <span title={format.full(of.publishAt)}>{t`Planned for ${format.short(of.publishAt)}`}</span>
      </Status>
    )
  const status = statusOf(of)
  return <Status {...DOTS[status]}>{names[status]}</Status>
}

export function useTypeNames(): Record<Collection['type'], string> {
  const { t } = useLingui()
  return { STANDARD: t`Pages`, NEWSLETTER: t`Newsletter` }
}

export function useBlockNames(): Record<BlockType, string> {
  const { t } = useLingui()
  return {
    TEXT: t`Text`,
    NUMBER: t`Number`,
    BOOLEAN: t`Yes or no`,
    DATE: t`Date and time`,
    RELATIONSHIP: t`Link to a record`,
    GEO_LOCATION: t`Place on the map`,
    MEDIA: t`Pictures and files`,
    SELECT: t`One of several`,
    MULTI_SELECT: t`Several of several`,
  }
}
