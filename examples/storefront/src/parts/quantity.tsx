import { Icon } from './icons.tsx'

type QuantityProps = { label: string; value: number; most: number; least?: number; onValue: (value: number) => void }

export const Quantity = ({ label, value, most, least = 1, onValue }: QuantityProps) => (
  <div class="quantity" role="group" aria-label={label}>
    <button type="button" aria-label="One less" disabled={value <= least} onClick={() => onValue(value - 1)}>
      <Icon name="minus" />
    </button>
    <output aria-live="off">{value}</output>
    <button type="button" aria-label="One more" disabled={value >= most} onClick={() => onValue(value + 1)}>
      <Icon name="plus" />
    </button>
  </div>
)
