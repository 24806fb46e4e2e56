import { type Editor, Extension } from '@tiptap/core'
import type { Node } from '@tiptap/pm/model'
import { type EditorState, Plugin, TextSelection } from '@tiptap/pm/state'
import { Decoration, DecorationSet } from '@tiptap/pm/view'

const VARIABLE = /\{\{[^{}]*\}\}/g

export type ChipOf = (written: string) => string | undefined
type Place = { from: number; to: number; name: string }

/** Where the text has variables: `{{ subscriber.name }}`, with or without filters. */
function placesIn(doc: Node): Place[] {
  const places: Place[] = []
  doc.descendants(({ text }, at) => {
    for (const { 0: written, index } of text?.matchAll(VARIABLE) ?? [])
      places.push({ from: at + index, to: at + index + written.length, name: written.slice(2, -2).trim() })
  })
  return places
}

const draw = (doc: Node, chipOf: ChipOf | undefined) =>
  DecorationSet.create(
    doc,
    placesIn(doc).map(({ from, to, name }) => {
      const label = chipOf?.(name)
      return Decoration.inline(from, to, {
        class: 'variable',
        spellcheck: 'false',
        'data-variable': name,
        ...(label && { 'data-label': label }),
      })
    }),
  )

/** Those that are marked look so: their letters, which the browser would colour, are not to be seen. */
function withPicked(drawn: DecorationSet | undefined, { doc, selection: { from, to, empty } }: EditorState) {
  if (empty || !drawn) return drawn
  const picked = drawn.find(from, to).filter((chip) => from <= chip.from && chip.to <= to)
  return drawn.add(
    doc,
    picked.map((chip) => Decoration.inline(chip.from, chip.to, { class: 'picked' })),
  )
}

/** The variable that ends, or begins, at the caret. */
function besideCaret({ doc, selection }: EditorState, side: 'from' | 'to'): Place | undefined {
  return selection.empty ? placesIn(doc).find((place) => place[side] === selection.from) : undefined
}

const chips = (chipOf: ChipOf | undefined) =>
  new Plugin<DecorationSet>({
    state: {
      init: (_, { doc }) => draw(doc, chipOf),
      apply: (change, before) => (change.docChanged ? draw(change.doc, chipOf) : before),
    },
    // However the caret came into one, it goes on to the end that it was heading for.
    appendTransaction: (changes, before, { doc, selection, tr }) => {
      if (!selection.empty || changes.some(({ docChanged }) => docChanged)) return null
      const { from: at } = selection
      const place = placesIn(doc).find(({ from, to }) => from < at && at < to)
      if (!place) return null
      const isBackwards = before.selection.from >= place.to
      return tr.setSelection(TextSelection.create(doc, isBackwards ? place.from : place.to))
    },
    props: {
      decorations(state) {
        return withPicked(this.getState(state), state)
      },
      handleClick(view, at, { target }) {
        // Beside the name of a chip is its edge: whoever presses the name means all of it.
        if (!(target instanceof Element && target.closest('.variable'))) return false
        const place = placesIn(view.state.doc).find(({ from, to }) => from <= at && at <= to)
        if (!place) return false
        const selection = TextSelection.create(view.state.doc, place.from, place.to)
        view.dispatch(view.state.tr.setSelection(selection))
        return true
      },
    },
  })

const remove = (side: 'from' | 'to') => (editor: Editor) => {
  const place = besideCaret(editor.state, side)
  return place !== undefined && editor.commands.deleteRange(place)
}
const step = (side: 'from' | 'to') => (editor: Editor) => {
  const place = besideCaret(editor.state, side)
  return place !== undefined && editor.commands.setTextSelection(side === 'to' ? place.from : place.to)
}

/**
 * Variables look like one thing and are one for the caret. In the text they are the letters that they are written with, so
 * that what is stored is what it always was.
 */
export const Variables = Extension.create<{ chipOf: ChipOf | undefined }>({
  name: 'variables',
  addOptions: () => ({ chipOf: undefined }),
  addProseMirrorPlugins() {
    return [chips(this.options.chipOf)]
  },
  addKeyboardShortcuts() {
    const run = (work: (editor: Editor) => boolean) => () => work(this.editor)
    return {
      Backspace: run(remove('to')),
      Delete: run(remove('from')),
      ArrowLeft: run(step('to')),
      ArrowRight: run(step('from')),
    }
  },
})

/** Writes it where the caret is, with the marks of the text around it. */
export const insertVariable = (editor: Editor, written: string) =>
  editor
    .chain()
    .focus()
    .command(({ tr }) => {
      tr.insertText(written)
      return true
    })
    .run()
