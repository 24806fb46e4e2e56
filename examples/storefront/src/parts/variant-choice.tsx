import type { PublicProduct, PublicVariant } from '@kontor/sdk'
import { useId } from 'preact/hooks'
import { isSoldOut } from '../state/catalog.ts'

type ChoiceProps = { product: PublicProduct; chosen: PublicVariant; choose: (variant: PublicVariant) => void }

const valueOf = ({ attributes }: PublicVariant, name: string) => attributes.find((each) => each.name === name)?.value

/** A group of buttons for each option; where the options do not tell variants apart, one for their names. */
export function VariantChoice({ product: { options, variants }, chosen, choose }: ChoiceProps) {
  const telling = options.filter(({ values }) => values.length > 1)
  const names = telling.map(({ name }) => name)
  const canTell = new Set(variants.map((each) => keyOf(each, names))).size === variants.length
  if (!canTell) {
    const choices = variants.map((variant) => ({ text: variant.name, variant }))
    return <Group title="Kind" choices={choices} chosen={chosen} choose={choose} />
  }
  return telling.map(({ name, values }) => {
    const choices = values.map((text) => ({ text, variant: nearest(variants, chosen, names, name, text) }))
    return <Group key={name} title={name} choices={choices} chosen={chosen} choose={choose} />
  })
}

const keyOf = (variant: PublicVariant, names: readonly string[]) =>
  JSON.stringify(names.map((name) => valueOf(variant, name)))

/** The variant with that value that shares most with the chosen one; of those, one that is there. */
function nearest(
  variants: readonly PublicVariant[],
  chosen: PublicVariant,
  names: readonly string[],
  name: string,
  value: string,
) {
  const shared = (variant: PublicVariant) =>
    names.filter((other) => valueOf(variant, other) === valueOf(chosen, other)).length + (isSoldOut(variant) ? 0 : 0.5)
  const [best] = variants
    .filter((variant) => valueOf(variant, name) === value)
    .toSorted((one, other) => shared(other) - shared(one))
  return best ?? chosen
}

type GroupProps = {
  title: string
  choices: { text: string; variant: PublicVariant }[]
  chosen: PublicVariant
  choose: (variant: PublicVariant) => void
}

function Group({ title, choices, chosen, choose }: GroupProps) {
  const name = useId()
  return (
    <fieldset class="choice">
      <legend>{title}</legend>
      {choices.map(({ text, variant }) => (
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
