import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { useState } from 'react'
import { useAsk } from '../outbox/use-outbox.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Problem } from '../ui/problem.tsx'
import { toast } from '../ui/toast.tsx'
import { ProductsLink } from './products-link.tsx'
import { belowOf, countBelow, type Node, type Tree } from './tree.ts'

type Props = { tree: Tree; node: Node; onClose: () => void; onDeleted: () => void }

/** Says what hangs on a category before it goes. As long as anything does, it stays. */
export function DeleteCategory({ tree, node, onClose, onDeleted }: Props) {
  const { t } = useLingui()
  const ask = useAsk()
  const [isSent, setIsSent] = useState(false)
  const [error, setError] = useState<unknown>()
  const { id, name, products, etag } = node
  const below = countBelow(tree, id)
  const first = belowOf(tree, id)
    .slice(0, 3)
    .map((child) => child.name)
    .join(', ')
  const reason = isSent
    ? t`Processing…`
    : below > 0
      ? t`Move or delete first what is below it.`
      : products > 0
        ? t`Give its products another category first.`
        : undefined
  const remove = async () => {
    setIsSent(true)
    setError(undefined)
    try {
      await ask({
        operation: 'deleteCategory',
        input: { path: { id } },
        label: t`Delete the category ${name}`,
        about: [id],
        ifMatch: etag,
      })
      toast(t`${name} deleted`)
      onDeleted()
    } catch (cause) {
      setIsSent(false)
      setError(cause)
    }
  }
  return (
    <Dialog open onClose={onClose} title={t`Delete ${name}?`}>
      <div className="stacked">
        {error !== undefined && <Problem error={error} kept={t`Nothing was deleted.`} />}
        {below + products === 0 ? (
          <p className="soft">
            <Trans>
              Nothing hangs on it: no product, no category below. Its addresses lead nowhere afterwards, in any
              language.
            </Trans>
          </p>
        ) : (
          <>
            <p className="soft">{t`This hangs on it, so it cannot go yet:`}</p>
            <ul className="hangs">
              {below > 0 && (
                <li>
                  <Plural value={below} one="# category below it" other="# categories below it" />
                  <span className="note block">{first}</span>
                </li>
              )}
              {products > 0 && (
                <li>
                  <ProductsLink id={id} className="link">
                    <Plural value={products} one="# product" other="# products" />
                  </ProductsLink>
                  <span className="note block">{t`They name it: give them another one first.`}</span>
                </li>
              )}
            </ul>
          </>
        )}
        <div className="acts">
          <Button look="quiet" onClick={onClose}>{t`Keep it`}</Button>
          <Button look="destroy main" reason={reason} onClick={() => void remove()}>{t`Delete`}</Button>
        </div>
      </div>
    </Dialog>
  )
}
