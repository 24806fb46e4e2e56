import { useLingui } from '@lingui/react/macro'

/** The shape of the grid, only where the cache has nothing. */
export function GridBones({ tiles = 12 }: { tiles?: number }) {
  const { t } = useLingui()
  return (
    <div className="page" role="status" aria-busy="true" aria-label={t`Loading`}>
      <div className="media-grid" aria-hidden="true">
        {Array.from({ length: tiles }, (_, index) => (
          <div key={index} className="media-tile">
            <span className="media-box bone" />
            <span className="bone" style={{ width: '70%' }} />
            <span className="bone" style={{ width: '45%' }} />
          </div>
        ))}
      </div>
    </div>
  )
}
