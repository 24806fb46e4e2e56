import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { useLingui } from '@lingui/react'
import { type Fill, Status, type Tone } from '../ui/status.tsx'
import type { ProductStatus } from './filters.ts'

export const STATUS_WORDS: Record<ProductStatus, MessageDescriptor> = {
  ACTIVE: msg`On sale`,
  DRAFT: msg`Draft`,
  ARCHIVED: msg`Archived`,
}

const DOTS: Record<ProductStatus, { fill: Fill; tone: Tone }> = {
  ACTIVE: { fill: 'full', tone: 'good' },
  DRAFT: { fill: 'ring', tone: 'soft' },
  ARCHIVED: { fill: 'off', tone: 'soft' },
}

export function ProductStatusWord({ status }: { status: ProductStatus }) {
  const { i18n } = useLingui()
  return <Status {...DOTS[status]}>{i18n._(STATUS_WORDS[status])}</Status>
}
