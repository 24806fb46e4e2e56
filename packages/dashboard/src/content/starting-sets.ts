import { useLingui } from '@lingui/react/macro'
import type { Block } from './queries.ts'

export const SETS = ['article', 'page', 'place', 'question', 'none'] as const
export type SetName = (typeof SETS)[number]

/** What a collection can begin with; all of it can be changed afterwards. */
export function useStartingSets(): Record<SetName, { name: string; note: string; blocks: Block[] }> {
  const { t } = useLingui()
  const title: Block = { id: 'title', type: 'TEXT', label: t`Title`, required: true, settings: { maxLength: 200 } }
  const slug: Block = { id: 'slug', type: 'TEXT', label: t`Address`, required: true, settings: { maxLength: 100 } }
  const body: Block = { id: 'body', type: 'TEXT', label: t`Text`, required: true, settings: { variant: 'HTML' } }
  const summary: Block = { id: 'summary', type: 'TEXT', label: t`Summary`, settings: { maxLength: 400 } }
  const picture: Block = {
    id: 'cover',
    type: 'MEDIA',
    label: t`Picture`,
    settings: { accept: ['image/*'], maxItems: 1 },
  }
  return {
    article: {
      name: t`Articles`,
      note: t`Title, address, summary, text, picture, date`,
      blocks: [title, slug, summary, body, picture, { id: 'date', type: 'DATE', label: t`Date` }],
    },
    page: { name: t`Plain pages`, note: t`Title, address, text`, blocks: [title, slug, body] },
    place: {
      name: t`Places`,
      note: t`Name, where it is, text, pictures`,
      blocks: [
        { id: 'name', type: 'TEXT', label: t`Name`, required: true, settings: { maxLength: 200 } },
        { id: 'place', type: 'GEO_LOCATION', label: t`Where it is`, required: true },
        { id: 'text', type: 'TEXT', label: t`Text`, settings: { variant: 'HTML' } },
        { id: 'pictures', type: 'MEDIA', label: t`Pictures`, settings: { accept: ['image/*'], maxItems: 10 } },
      ],
    },
    question: {
      name: t`Questions and answers`,
      note: t`Question, answer, a product that it is about`,
      blocks: [
        { id: 'question', type: 'TEXT', label: t`Question`, required: true, settings: { maxLength: 300 } },
        { id: 'answer', type: 'TEXT', label: t`Answer`, required: true, settings: { variant: 'HTML' } },
        { id: 'product', type: 'RELATIONSHIP', label: t`Product`, settings: { targetType: 'PRODUCT' } },
      ],
    },
    none: { name: t`Empty`, note: t`You add the fields yourself`, blocks: [] },
  }
}
