import { useLingui } from '@lingui/react/macro'
import { Link } from '@tanstack/react-router'
import { Eye } from 'lucide-react'
import { useState } from 'react'
import { kontor } from '../../api/client.ts'
import { usePermissions } from '../../session/permissions.ts'
import { addressOf, useBusiness } from '../../session/use-business.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { useProblem } from '../../ui/problem.tsx'
import { toast } from '../../ui/toast.tsx'
import type { Entry } from '../queries.ts'

/** Opens the shop's page of the entry, published or not, as it is saved. Each time with a fresh token, good for an hour. */
export function PreviewButton({ entry, hasChanges }: { entry: Entry; hasChanges: boolean }) {
  const { t } = useLingui()
  const business = useBusiness()
  const wordsOf = useProblem()
  const { mayAny, reason } = usePermissions()
  const [isMissing, setIsMissing] = useState(false)
  const [isAsking, setIsAsking] = useState(false)
  const lacks = mayAny('CONTENT_READ_DRAFTS', 'CONTENT_WRITE') ? undefined : reason('CONTENT_WRITE')
  const open = async () => {
    if (!business.storefront?.previewUrl) return setIsMissing(true)
    // Opened by the press itself: a browser shows no window that a later answer asks for.
    const page = window.open('', '_blank')
    setIsAsking(true)
    try {
      const path = { businessId: business.id, id: entry.id }
      const { url } = await kontor.operations.createPreviewToken({ path })
      if (url === null) {
        page?.close()
        setIsMissing(true)
      } else if (page) {
        page.opener = null
        page.location.href = url
        if (hasChanges) toast(t`The shop shows what is saved: what you typed since is not in it.`)
      } else toast(t`The browser let no window open. Allow it for this page, and try again.`)
    } catch (error) {
      page?.close()
      toast(t`Couldn’t open the preview. ${wordsOf(error).what}`)
    } finally {
      setIsAsking(false)
    }
  }
  const waits = isAsking ? t`Opening…` : undefined
  return (
    <>
      <Button icon={Eye} only={t`Preview in the shop`} reason={lacks ?? waits} onClick={() => void open()} />
      <Dialog open={isMissing} onClose={() => setIsMissing(false)} title={t`Where does the shop show it?`}>
        <p className="soft">
          {t`The business has not said at which address its shop shows an entry before it is published. It is set once, and holds for all entries.`}
        </p>
        <div className="acts">
          <Button look="quiet" onClick={() => setIsMissing(false)}>{t`Close`}</Button>
          <Link to="/$business/settings/shop" params={{ business: addressOf(business) }} className="button main">
            {t`Set the address`}
          </Link>
        </div>
      </Dialog>
    </>
  )
}
