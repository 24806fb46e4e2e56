import { useLingui } from '@lingui/react/macro'

const WIDTHS = [62, 48, 70, 55, 66, 44]

/** The shape of what comes, only where the cache has nothing. */
export function Bones({ rows = 8, columns = 4, bleed = true }: { rows?: number; columns?: number; bleed?: boolean }) {
  const { t } = useLingui()
  return (
    <div role="status" aria-busy="true" aria-label={t`Loading`}>
      <table className={bleed ? 'table bleed still' : 'table still'} aria-hidden="true">
        <tbody>
          {Array.from({ length: rows }, (_, row) => (
            <tr key={row}>
              {Array.from({ length: columns }, (_, column) => (
                <td key={column}>
                  <span className="bone" style={{ width: `${WIDTHS[(row + column * 2) % WIDTHS.length]}%` }} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
