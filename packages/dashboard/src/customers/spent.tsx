import { Money } from '../ui/money.tsx'
import type { Customer } from './types.ts'

/** For each currency by itself: two are never added. */
export const Spent = ({ of: spent }: { of: Customer['spent'] }) =>
  spent.length === 0 ? (
    <span className="soft">–</span>
  ) : (
    <span className="spent">
      {spent.map(({ currency, amount }) => (
        <Money key={currency} amount={amount} currency={currency} />
      ))}
    </span>
  )
