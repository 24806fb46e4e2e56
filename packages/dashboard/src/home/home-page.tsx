import { useLingui } from '@lingui/react/macro'
import { useEffect, useState } from 'react'
import { usePermissions } from '../session/permissions.ts'
import { useBusiness } from '../session/use-business.ts'
import { useFormat } from '../session/use-format.ts'
import { Empty } from '../ui/empty.tsx'
import { Head } from '../ui/page.tsx'
import { CameIn } from './came-in.tsx'
import { mayKnowNeeds } from './needs.ts'
import { Needs } from './needs-list.tsx'
import { RanLow } from './ran-low.tsx'
import { Sales } from './sales.tsx'
import { ToPack } from './to-pack.tsx'
import { useFreshNews } from './use-news.ts'

/** Did we sell, what has to be done, what went wrong. */
export function HomePage() {
  const { t } = useLingui()
  const format = useFormat()
  const { may } = usePermissions()
  const business = useBusiness()
  const hasNeeds = mayKnowNeeds(may)
  const isEmpty = !hasNeeds && !may('PRODUCTS_WRITE')
  const now = useNow()
  useFreshNews()
  const place = format.timeZone.split('/').at(-1)?.replaceAll('_', ' ') ?? ''
  const time = format.time(now)
  return (
    <>
      <Head
        title={format.weekday(now)}
        facts={<span>{place === 'UTC' ? t`${time} UTC` : t`${time} in ${place}`}</span>}
      />
      {isEmpty ? (
        <div className="page">
          <Empty title={t`Nothing here is about your work yet`}>
            {t`What happens to orders, goods and texts stands here. An admin of ${business.name} can let you see it.`}
          </Empty>
        </div>
      ) : (
        <div className="home">
          <div className="home-work">
            {may('ORDERS_READ') && <Sales now={now} />}
            {may('ORDERS_READ') && <ToPack />}
            {may('ORDERS_READ') && <CameIn now={now} />}
          </div>
          <div className="home-side">
            {hasNeeds && <Needs />}
            {may('PRODUCTS_WRITE') && <RanLow />}
          </div>
        </div>
      )}
    </>
  )
}

/** Unix seconds, to the minute. */
function useNow(): number {
  const [now, setNow] = useState(() => Math.trunc(Date.now() / 60_000) * 60)
  useEffect(() => {
    const timer = setInterval(() => setNow(Math.trunc(Date.now() / 60_000) * 60), 5_000)
    return () => clearInterval(timer)
  }, [])
  return now
}
