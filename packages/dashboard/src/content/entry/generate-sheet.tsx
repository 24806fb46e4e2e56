import { type Answer, KontorError } from '@kontor/sdk'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { Sparkles } from 'lucide-react'
import { useState } from 'react'
import { kontor } from '../../api/client.ts'
import { query } from '../../api/query.ts'
import { useLocaleName } from '../../categories/words.ts'
import { useBusiness } from '../../session/use-business.ts'
import { useFormat } from '../../session/use-format.ts'
import { Button } from '../../ui/button.tsx'
import { Sheet } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/field.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Problem } from '../../ui/problem.tsx'
import type { Block, Collection } from '../queries.ts'
import { type EntryForm, fieldOf, isBlank, textsOf, toForm } from './form.ts'
import { useShownValue } from './words.tsx'

type Props = {
  collection: Collection
  own: string
  form: EntryForm
  lacks: string | undefined
  onTake: (field: string, value: unknown) => void
}

const MOST = 50
const canBeMade = ({ type }: Block) => type !== 'MEDIA' && type !== 'RELATIONSHIP'

/** A language model's proposal, looked at before it is taken. Nothing is saved by it. */
export function GenerateSheet({ collection, own, form, lacks, onTake }: Props) {
  const { t } = useLingui()
  const [isOpen, setIsOpen] = useState(false)
  const blocks = collection.blocks.filter(canBeMade)
  return (
    <>
      <Button
        icon={Sparkles}
        only={t`Propose texts`}
        reason={lacks ?? (blocks.length === 0 ? t`None of its fields can be proposed.` : undefined)}
        onClick={() => setIsOpen(true)}
      />
      {isOpen && <Proposal {...{ blocks, own, form, onTake }} onClose={() => setIsOpen(false)} />}
    </>
  )
}

type ProposalProps = Pick<Props, 'own' | 'form' | 'onTake'> & { blocks: Block[]; onClose: () => void }

function Proposal({ blocks, own, form, onTake, onClose }: ProposalProps) {
  const { t } = useLingui()
  const business = useBusiness()
  const localeName = useLocaleName()
  const { number } = useFormat()
  const show = useShownValue(blocks)
  const fieldFor = ({ id, type }: Block) => (type === 'TEXT' ? fieldOf(id, own) : id)
  const [prompt, setPrompt] = useState('')
  const [picked, setPicked] = useState<ReadonlySet<string>>(
    () => new Set(blocks.filter((block) => isBlank(form[fieldFor(block)])).map(({ id }) => id)),
  )
  const [isAsking, setIsAsking] = useState(false)
  const [error, setError] = useState<unknown>()
  const [made, setMade] = useState<EntryForm>()
  const [cost, setCost] = useState<number>()
  const budget = useQuery({ ...query(business.id, 'getGenerationBudget'), staleTime: 0 })
  const wanted = blocks.filter(({ id }) => picked.has(id)).slice(0, MOST)
  const propose = async () => {
    setIsAsking(true)
    setError(undefined)
    try {
      const answer = await kontor.operations.generateBlocks({
        path: { businessId: business.id },
        body: {
          prompt: `${prompt}\n\nWrite in ${own}.`,
          blocks: wanted.map(({ id, type, settings }) => ({ id, type, ...(settings && { settings }) })),
        },
      })
      const filled = answer.blocks.map((block) => {
        const texts = block.type === 'TEXT' ? textsOf(block.value, own) : undefined
        return texts ? { ...block, value: texts[own] ?? Object.values(texts)[0] } : block
      })
      setCost(answer.tokens)
      setMade(toForm(wanted, { locale: own, blocks: filled }, [own]))
    } catch (cause) {
      setError(cause)
    } finally {
      setIsAsking(false)
      void budget.refetch() // a refused one may have cost something, too
    }
  }
  const take = () => {
    for (const block of wanted) onTakeOne(block)
    onClose()
  }
  const onTakeOne = (block: Block) => {
    const value = made?.[fieldFor(block)]
    if (!isBlank(value)) onTake(fieldFor(block), value)
  }
  const isMissing = (error instanceof KontorError && error.status === 503) || budget.data?.isAvailable === false
  const toggle = (id: string) => {
    const next = new Set(picked)
    if (!next.delete(id)) next.add(id)
    setPicked(next)
  }
  const reason = isAsking
    ? t`Generating…`
    : prompt.trim() === ''
      ? t`Describe the content.`
      : wanted.length === 0
        ? t`Pick a field.`
        : undefined
  const foot = (
    <div className="flex gap-2 justify-end">
      <Button look="quiet" onClick={onClose}>{t`Close`}</Button>
      {made ? (
        <>
          <Button reason={reason} onClick={() => void propose()}>{t`Another`}</Button>
          <Button look="main" onClick={take}>{t`Take it over`}</Button>
        </>
      ) : (
        <Button look="main" reason={reason} onClick={() => void propose()}>{t`Propose`}</Button>
      )}
    </div>
  )
  return (
    <Sheet open wide onClose={onClose} title={t`Propose texts`} foot={foot}>
      <div className="propose">
        {isMissing ? (
          <Notice tone="wait" title={t`This service has no language model.`}>
            {t`Whoever runs it can set one up; everything else works without.`}
          </Notice>
        ) : (
          error !== undefined && <Problem error={error} kept={t`Nothing was changed.`} />
        )}
        <TextField
          label={t`What is it about, for whom, in which tone?`}
          rows={4}
          maxLength={9_900}
          value={prompt}
          onChange={({ target }) => setPrompt(target.value)}
        />
        <fieldset className="options">
          <legend className="label">{t`Fields to fill`}</legend>
          {blocks.map(({ id, label }) => (
            <label key={id} className="choice">
              <input type="checkbox" className="check" checked={picked.has(id)} onChange={() => toggle(id)} />
              <span>{label || id}</span>
            </label>
          ))}
        </fieldset>
        <p className="note">
          <Trans>
            It is written in {localeName(own)}. Each proposal is paid for from the day's budget of the business; nothing
            is saved before you save.
          </Trans>{' '}
          {budget.data?.isAvailable && <Budget of={budget.data} />}
        </p>
        {isAsking && <p role="status">{t`Generating… This can take up to 30 seconds.`}</p>}
        {made && (
          <section className="proposal" aria-live="polite">
            <h3>
              <Plural value={wanted.length} one="The proposal for # field" other="The proposal for # fields" />
            </h3>
            {cost !== undefined && <p className="note">{t`It took ${number(cost)} tokens.`}</p>}
            <dl>
              {wanted.map((block) => (
                <div key={block.id}>
                  <dt className="label">{block.label || block.id}</dt>
                  <dd>{show(made[fieldFor(block)], fieldFor(block))}</dd>
                </div>
              ))}
            </dl>
          </section>
        )}
      </div>
    </Sheet>
  )
}

/** What is known before: what is left of the day, and what a proposal took today. */
function Budget({ of: { dailyTokens, usedTokens, requests, renewsAt } }: { of: Answer<'getGenerationBudget'> }) {
  const { t } = useLingui()
  const { number, time } = useFormat()
  const [left, all] = [number(Math.max(0, dailyTokens - usedTokens)), number(dailyTokens)]
  const each = requests > 0 ? number(Math.round(usedTokens / requests)) : undefined
  return (
    <>
      {t`${left} of ${all} tokens are left until ${time(renewsAt)}.`}{' '}
      {each ? t`Today the model took ${each} each time, on average.` : t`Nothing was asked for today yet.`}
    </>
  )
}
