import { Trans, useLingui } from '@lingui/react/macro'
import { useNavigate } from '@tanstack/react-router'
import { FileUp } from 'lucide-react'
import { type DragEvent, type FormEvent, useEffect, useRef, useState } from 'react'
import { kontor } from '../api/client.ts'
import { usePermissions } from '../session/permissions.ts'
import { addressOf, useBusiness } from '../session/use-business.ts'
import { useFormat } from '../session/use-format.ts'
import { useCommands } from '../shell/commands.ts'
import { Button } from '../ui/button.tsx'
import { Select } from '../ui/field.tsx'
import { Icon } from '../ui/icon.tsx'
import { Notice } from '../ui/notice.tsx'
import { Problem } from '../ui/problem.tsx'
import { FORMATS, type Format, recognise } from './recognise.ts'
import { useWords } from './use-words.ts'

const MAX_BYTES = 100 * 1024 * 1024
const UPLOAD_MS = 180_000

type Chosen = { file: File; recognised: Format | undefined }

/** A file is dropped or chosen; what it is, is read from its first line. */
export function Upload() {
  const { t } = useLingui()
  const { reason } = usePermissions()
  const [chosen, setChosen] = useState<Chosen>()
  const [isOver, setOver] = useState(false)
  const input = useRef<HTMLInputElement>(null)
  const why = reason('PRODUCTS_WRITE')
  const take = async (file: File | undefined) => {
    if (file && !why) setChosen({ file, recognised: await recognise(file) })
  }
  const drop = (event: DragEvent) => {
    event.preventDefault()
    setOver(false)
    void take(event.dataTransfer.files[0])
  }
  const choose = () => input.current?.click()
  useCommands([
    { id: 'choose-file', label: t`Choose a file to import`, keys: 'n', icon: FileUp, reason: why, run: choose },
  ])
  return (
    <section className="page">
      {/* oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- the button beside it does the same */}
      <div
        className={isOver ? 'drop over' : 'drop'}
        onDragOver={(event) => {
          event.preventDefault()
          setOver(true)
        }}
        onDragLeave={() => setOver(false)}
        onDrop={drop}
      >
        <Icon of={FileUp} />
        <p>
          {chosen ? (
            <FileName file={chosen.file} />
          ) : (
            <>
              <b className="strong">{t`Drop a file here`}</b>{' '}
              <span className="soft">{t`Kontor’s own CSV or NDJSON, or what Shopify or WooCommerce export, up to 100 MB.`}</span>
            </>
          )}
        </p>
        <Button look={chosen ? 'quiet' : undefined} reason={why} onClick={choose}>
          {chosen ? t`Another file` : t`Choose a file`}
        </Button>
        <input
          ref={input}
          type="file"
          hidden
          aria-label={t`File`}
          accept=".csv,.ndjson,.jsonl,.txt,text/csv,application/x-ndjson"
          onChange={(event) => {
            void take(event.target.files?.[0])
            event.target.value = ''
          }}
        />
      </div>
      {chosen && <Try key={`${chosen.file.name} ${chosen.file.lastModified}`} chosen={chosen} />}
    </section>
  )
}

function FileName({ file }: { file: File }) {
  const { number } = useFormat()
  const size = number(Math.max(1, Math.round(file.size / 1024)))
  return (
    <>
      <b className="strong">{file.name}</b>{' '}
      <span className="soft">
        <Trans>{size} KB</Trans>
      </span>
    </>
  )
}

function Try({ chosen: { file, recognised } }: { chosen: Chosen }) {
  const { t } = useLingui()
  const business = useBusiness()
  const navigate = useNavigate()
  const { formatOf } = useWords()
  const [format, setFormat] = useState<Format>(recognised ?? 'csv')
  const [market, setMarket] = useState(business.markets[0]?.id ?? '')
  const [isSending, setSending] = useState(false)
  const [error, setError] = useState<unknown>()
  const button = useRef<HTMLButtonElement>(null)
  useEffect(() => button.current?.focus(), [])
  const isForeign = format === 'shopify-csv' || format === 'woocommerce-csv'
  const isTooLarge = file.size > MAX_BYTES
  const send = async (event: FormEvent) => {
    event.preventDefault()
    setSending(true)
    setError(undefined)
    try {
      const type = format === 'ndjson' ? 'application/x-ndjson' : 'text/csv'
      const fileName = file.name.slice(-200)
      const { id } = await kontor.operations.importProducts(
        {
          path: { businessId: business.id },
          query: { dryRun: true, format, fileName, ...(isForeign && { market }) },
          body: new Blob([file], { type }),
        },
        { timeoutMs: UPLOAD_MS },
      )
      void navigate({
        to: '/$business/products/imports/$import',
        params: { business: addressOf(business), import: id },
      })
    } catch (cause) {
      setError(cause)
      setSending(false)
    }
  }
  const why = isTooLarge ? t`The file is larger than 100 MB.` : isSending ? t`Uploading…` : undefined
  return (
    <form className="what-it-is" onSubmit={(event) => void send(event)}>
      {recognised ? (
        <p className="soft seen">{t`Recognized as ${formatOf(recognised)}.`}</p>
      ) : (
        <Notice tone="alert" title={t`The first line names no columns that are known.`}>
          {t`Say what the file is, or choose another one.`}
        </Notice>
      )}
      <Select label={t`It is`} value={format} onChange={(event) => setFormat(event.target.value as Format)}>
        {FORMATS.map((one) => (
          <option key={one} value={one}>
            {formatOf(one)}
          </option>
        ))}
      </Select>
      {isForeign && (
        <Select
          label={t`Its prices are for`}
          value={market}
          onChange={(event) => setMarket(event.target.value)}
          hint={business.markets.length > 1 ? t`Prices of other markets stay as they are.` : undefined}
        >
          {business.markets.map(({ id, name, currency }) => (
            <option key={id} value={id}>
              {name} ({currency})
            </option>
          ))}
        </Select>
      )}
      <Button ref={button} type="submit" look="main" reason={why}>
        {isSending ? t`Sending the file` : t`Try it: dry run`}
      </Button>
      {error !== undefined && <Problem error={error} kept={t`Nothing was imported.`} />}
    </form>
  )
}
