// The page works without this script. With it, times are local, new messages appear by themselves and codes can be
// copied.
const list = document.querySelector('#list')
const { open, search } = document.body.dataset
const title = document.title

function tellTimes() {
  const today = new Date().toDateString()
  for (const time of document.querySelectorAll('time')) {
    const at = new Date(time.dateTime)
    const isToday = at.toDateString() === today
    const short = isToday ? { hour: '2-digit', minute: '2-digit' } : { day: 'numeric', month: 'short' }
    time.textContent =
      'long' in time.dataset
        ? at.toLocaleString([], { dateStyle: 'medium', timeStyle: 'medium' })
        : at.toLocaleString([], short)
  }
  const unread = Number(list.querySelector('.count').dataset.unread)
  document.title = unread > 0 ? `(${unread}) ${title}` : title
}

let isAsking = false
let isAskedAgain = false
async function refresh() {
  isAskedAgain = isAsking
  if (isAsking) return
  isAsking = true
  try {
    const answer = await fetch(`/list?${new URLSearchParams({ q: search, open })}`, {
      signal: AbortSignal.timeout(5_000),
    })
    if (answer.ok) {
      const { scrollTop } = list
      const place = [...list.querySelectorAll('a')].indexOf(document.activeElement)
      const href = place >= 0 ? document.activeElement.getAttribute('href') : undefined
      list.innerHTML = await answer.text()
      list.scrollTop = scrollTop
      if (href) list.querySelector(`a[href="${CSS.escape(href)}"]`)?.focus()
      tellTimes()
    }
  } catch {
    // The inbox is being restarted: the next event brings the list.
  } finally {
    isAsking = false
    if (isAskedAgain) void refresh()
  }
}

let wasCut = false
const changes = new EventSource('/changes')
changes.addEventListener('message', () => void refresh())
changes.addEventListener('error', () => {
  wasCut = true
})
changes.addEventListener('open', () => {
  if (wasCut) void refresh()
  wasCut = false
})

async function copy(button) {
  await navigator.clipboard.writeText(button.dataset.copy)
  button.textContent = 'Copied'
  setTimeout(() => {
    button.textContent = 'Copy'
  }, 1_500)
}
document.addEventListener('click', ({ target }) => {
  const button = target.closest('[data-copy]')
  if (button) void copy(button)
})
document.querySelector('.clear').addEventListener('submit', (event) => {
  if (!confirm('Delete all messages?')) event.preventDefault()
})

// Opening a message loads a page: restore the scroll position of the list.
list.scrollTop = Number(sessionStorage.getItem('scroll') ?? 0)
addEventListener('pagehide', () => sessionStorage.setItem('scroll', String(list.scrollTop)))
tellTimes()
