import '../media.css'
import type { Answer } from '@kontor/sdk'
import { useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { ChevronRight, Trash2 } from 'lucide-react'
import { useAsked } from '../../outbox/use-outbox.ts'
import { useBusiness } from '../../session/use-business.ts'
import { useCommands } from '../../shell/commands.ts'
import { Bones } from '../../ui/bones.tsx'
import { Button } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { usePageTitle } from '../../ui/page.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Status } from '../../ui/status.tsx'
import { Measures } from '../media-grid.tsx'
import { fileQuery } from '../queries.ts'
import { FileState } from '../words.tsx'
import { DeleteFile } from './delete-file.tsx'
import { FileForm } from './file-form.tsx'

const route = getRouteApi('/signed-in/$business/media/$file')

/** One file: what it shows, what must stay visible of it, and where it is used. */
export function FilePage() {
  const { t } = useLingui()
  const { file: id } = route.useParams()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const business = useBusiness()
  const { data: file, error, refetch } = useQuery(fileQuery(business.id, id))
  const name = file?.fileName ?? t`File`
  const showDelete = (isOpen: boolean) =>
    void navigate({ search: { do: isOpen ? 'delete' : undefined }, replace: !isOpen, resetScroll: false })
  usePageTitle(name)
  useCommands([{ id: 'delete-file', label: t`Delete this file`, icon: Trash2, run: () => showDelete(true) }])
  return (
    <>
      <header className="head">
        <nav className="crumbs" aria-label={t`Where`}>
          <route.Link to="/$business/media" params={(now) => now} search={{}}>{t`Media`}</route.Link>
          <Icon of={ChevronRight} />
        </nav>
        <h1 className="break">{name}</h1>
        {file && <FactsLine file={file} />}
        <div className="acts tight">
          {file && <Button look="destroy" icon={Trash2} onClick={() => showDelete(true)}>{t`Delete`}</Button>}
        </div>
      </header>
      {file ? (
        <FileForm key={id} file={file} />
      ) : error ? (
        <div className="page">
          <Problem error={error} onRetry={() => void refetch()} />
        </div>
      ) : (
        <Bones rows={6} columns={3} />
      )}
      {file && search.do === 'delete' && (
        <DeleteFile
          file={file}
          onClose={() => showDelete(false)}
          onDeleted={() => void navigate({ to: '/$business/media', params: (now) => now, search: {} })}
        />
      )}
    </>
  )
}

function FactsLine({ file }: { file: Answer<'getMedia'> }) {
  const { t } = useLingui()
  const isAsked = useAsked(file.id).length > 0
  return (
    <div className="facts-line soft">
      {isAsked ? <Status fill="unknown" tone="wait">{t`Processing…`}</Status> : <FileState file={file} />}
      <span>
        <Measures file={file} />
      </span>
    </div>
  )
}
