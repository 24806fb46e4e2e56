import type { Variant } from '@kontor/sdk'
import { useId } from 'preact/hooks'
import { isSoldOut } from '../state/catalog.ts'

type ChoiceProps = { variants: readonly Variant[]; chosen: Variant; choose: (variant: Variant) => void }

const valueOf = ({ attributes }: Variant, name: string) => attributes.find((each) => each.name === name)?.value

/** A group of buttons for each attribute; without attributes, one for the names of the variants. */
export function VariantChoice({ variants, chosen, choose }: ChoiceProps) {
  const names = [...new Set(variants.flatMap(({ attributes }) => attributes.map(({ name }) => name)))]
  const telling = names.filter((name) => new Set(variants.map((variant) => valueOf(variant, name))).size > 1)
  const canTell = telling.length > 0 && new Set(variants.map((each) => keyOf(each, telling))).size === variants.length
  if (!canTell) {
    const options = variants.map((variant) => ({ text: variant.name, variant }))
    return <Group title="Kind" options={options} chosen={chosen} choose={choose} />
  }
  return telling.map((name) => {
    const values = [...new Set(variants.flatMap((variant) => valueOf(variant, name) ?? []))]
    const options = values.map((text) => ({ text, variant: nearest(variants, chosen, telling, name, text) }))
    return <Group key={name} title={name} options={options} chosen={chosen} choose={choose} />
  })
}

const keyOf = (variant: Variant, names: readonly string[]) =>
  JSON.stringify(names.map((name) => valueOf(variant, name)))

/** The variant with that value that shares most with the chosen one; of those, one that is there. */
function nearest(variants: readonly Variant[], chosen: Variant, names: readonly string[], name: string, value: string) {
  const shared = (variant: Variant) =>
    names.filter((other) => valueOf(variant, other) === valueOf(chosen, other)).length + (isSoldOut(variant) ? 0 : 0.5)
  const [best] = variants
    .filter((variant) => valueOf(variant, name) === value)
    .toSorted((one, other) => shared(other) - shared(one))
  return best ?? chosen
}

type GroupProps = {
  title: string
  options: { text: string; variant: Variant }[]
  chosen: Variant
  choose: (variant: Variant) => void
}

function Group({ title, options, chosen, choose }: GroupProps) {
  const name = useId()
  return (
    <fieldset class="choice">
      <legend>{title}</legend>
      {options.map(({ text, variant }) => (
        <label key={text} class={isSoldOut(variant) ? 'gone' : undefined}>
          <input type="radio" name={name} checked={variant.id === chosen.id} onChange={() => choose(variant)} />
          <span>
            {text}
            {isSoldOut(variant) && <span class="unseen"> (sold out)</span>}
          </span>
        </label>
      ))}
    </fieldset>
  )
}
