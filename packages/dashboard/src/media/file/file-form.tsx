import type { Answer } from '@kontor/sdk'
import { useLingui } from '@lingui/react/macro'
import { Download } from 'lucide-react'
import { useBusiness } from '../../session/use-business.ts'
import { Field } from '../../ui/field.tsx'
import { Icon } from '../../ui/icon.tsx'
import { LeaveDialog } from '../../ui/leave-dialog.tsx'
import { Notice } from '../../ui/notice.tsx'
import { SaveBar } from '../../ui/save-bar.tsx'
import { TagField } from '../../ui/tag-field.tsx'
import { useLeaveGuard } from '../../ui/use-draft.ts'
import { isPicture } from '../picture.ts'
import { iconOf } from '../thumb.tsx'
import { useProblemWords } from '../words.tsx'
import { AltTexts } from './alt-texts.tsx'
import type { Point } from './fields.ts'
import { FileFacts } from './file-facts.tsx'
import { FocalPoint } from './focal-point.tsx'
import { useFile } from './use-file.ts'

/** The picture and its texts as work, the rest as facts, and what is not saved at the foot. */
export function FileForm({ file }: { file: Answer<'getMedia'> }) {
  const { t } = useLingui()
  const { locales: own, defaultLocale } = useBusiness()
  const locales = [...new Set([defaultLocale, ...own, ...Object.keys(file.alt)])]
  const form = useFile(file, locales)
  const guard = useLeaveGuard(form.changes.length > 0)
  const isNameless = (form.value.fileName as string).trim() === ''
  return (
    <>
      <div className="record">
        <div className="work">
          <section className="section" aria-label={t`Preview`}>
            {isPicture(file) ? (
              <FocalPoint
                file={file}
                point={form.value.focalPoint as Point | null}
                onChange={(point) => form.change('focalPoint', point)}
              />
            ) : (
              <Plain file={file} />
            )}
          </section>
          {(isPicture(file) || Object.keys(file.alt).length > 0) && <AltTexts form={form} locales={locales} />}
          <section className="section" aria-labelledby="finding">
            <div className="section-head">
              <h2 id="finding">{t`For finding it again`}</h2>
            </div>
            <div className="alt-texts">
              <Field
                label={t`Name`}
                maxLength={255}
                autoComplete="off"
                edited={form.changed.includes('fileName')}
                problem={form.problemOf('fileName')}
                value={form.value.fileName as string}
                onChange={(event) => form.change('fileName', event.target.value)}
              />
              <TagField
                maxLength={50}
                value={form.value.tags as string[]}
                onChange={(tags) => form.change('tags', tags)}
              />
            </div>
          </section>
        </div>
        <FileFacts file={file} />
      </div>
      <SaveBar
        changes={form.changes}
        isSaving={form.isSaving}
        reason={isNameless ? t`Enter a name.` : undefined}
        onSave={() => void form.save()}
        onDiscard={form.discard}
      />
      <LeaveDialog guard={guard} />
      {form.sheet}
    </>
  )
}

/** No picture, or none yet: what it is, or why it is nothing. */
function Plain({ file: { status, problem, mimeType, url } }: { file: Answer<'getMedia'> }) {
  const { t } = useLingui()
  const problemWords = useProblemWords()
  if (status === 'REJECTED')
    return (
      <Notice tone="alert" title={t`It was not taken.`}>
        {problem && problemWords(problem)}
      </Notice>
    )
  if (status !== 'READY')
    return (
      <Notice title={status === 'PENDING' ? t`It is not uploaded yet.` : t`Checking…`}>
        {status === 'PENDING'
          ? t`If nothing arrives within a day, it is deleted.`
          : t`Its sizes are made in a few seconds.`}
      </Notice>
    )
  return (
    <div className="media-plain">
      <Icon of={iconOf(mimeType)} big />
      <p className="soft">
        {mimeType === 'image/svg+xml'
          ? t`Can be downloaded, not shown: drawings may hold scripts.`
          : t`Can be downloaded, not shown here.`}
      </p>
      {url && (
        <a className="button" href={url} download>
          <Icon of={Download} />
          {t`Download`}
        </a>
      )}
    </div>
  )
}
