import type { Answer } from '@kontor/sdk'
import { useLingui } from '@lingui/react/macro'
import { useFormat } from '../../session/use-format.ts'
import { When } from '../../ui/time.tsx'
import { useFileSize } from '../words.tsx'
import { Usages } from './usages.tsx'

type MediaFile = Answer<'getMedia'>

/** Where it is shown, what it is, and the sizes that pages choose from. */
export function FileFacts({ file }: { file: MediaFile }) {
  const { t } = useLingui()
  const { number } = useFormat()
  const sizeOf = useFileSize()
  const { id, mimeType, size, width, height, createdAt, updatedAt, renditions } = file
  return (
    <aside className="facts" aria-label={t`Facts`}>
      <Usages id={id} />
      <section>
        <h2>{t`The original`}</h2>
        <dl className="pairs">
          <dt>{t`Type`}</dt>
          <dd className="break">{mimeType}</dd>
          <dt>{t`Size`}</dt>
          <dd>{sizeOf(size)}</dd>
          {width !== null && height !== null && (
            <>
              <dt>{t`Pixels`}</dt>
              <dd>{`${number(width)} × ${number(height)}`}</dd>
            </>
          )}
          <dt>{t`Added`}</dt>
          <dd>
            <When at={createdAt} />
          </dd>
          <dt>{t`Changed`}</dt>
          <dd>
            <When at={updatedAt} />
          </dd>
        </dl>
      </section>
      {renditions.length > 0 && <Renditions renditions={renditions} />}
    </aside>
  )
}

function Renditions({ renditions }: Pick<MediaFile, 'renditions'>) {
  const { t } = useLingui()
  const { number } = useFormat()
  const sizes = [...Map.groupBy(renditions, ({ width, height }) => `${number(width)} × ${number(height)}`)]
  return (
    <section>
      <h2>{t`Sizes for pages`}</h2>
      <ul className="renditions">
        {sizes.map(([pixels, ones]) => (
          <li key={pixels}>
            <span className="soft">{pixels}</span>
            <span className="formats">
              {ones.map(({ mimeType, url }) => (
                <a key={url} href={url} target="_blank" rel="noreferrer" className="link">
                  {mimeType.replace('image/', '').toUpperCase()}
                </a>
              ))}
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}
