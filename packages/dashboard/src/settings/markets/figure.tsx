import { Field } from '../../ui/field.tsx'

/** Figures that are typed, with their unit behind. */
export const Figure = ({
  unit,
  field,
  onType,
}: {
  unit: string
  field: Parameters<typeof Field>[0]
  onType: (text: string) => void
}) => (
  <Field
    {...field}
    inputMode="decimal"
    autoComplete="off"
    className="num"
    label={
      <>
        {field.label} <span className="soft">{unit}</span>
      </>
    }
    onChange={({ target }) => onType(target.value)}
  />
)
