import { box, disc, faded, type Motif, shape, stroke, times } from './shapes.ts'

const sea = (main: string, light: string) =>
  [
    box(0, 520, 800, 280, main),
    times(5, (index) =>
      faded(
        0.35,
        stroke(
          `M${60 + index * 40} ${570 + index * 44} h${120 - index * 8} M${430 + index * 30} ${556 + index * 46} h${150 - index * 10}`,
          light,
          6,
        ),
      ),
    ),
  ].join('')

/** Whole pictures, for the journal. */
export const harbour: Motif = ({ main, dark, light, accent }) =>
  [
    box(0, 0, 800, 530, '#f6e6d3'),
    disc(600, 210, 76, '#f3bd73'),
    shape('M0 460 C140 380 260 440 380 410 C520 376 640 420 800 380 L800 530 L0 530 Z', '#c9cfc8'),
    sea('#7fa3b3', '#ffffff'),
    times(
      4,
      (index) =>
        box(
          40 + index * 92,
          360 - (index % 3) * 26,
          80,
          170 + (index % 3) * 26,
          [accent, light, main, '#d8b98a'][index] ?? main,
        ) +
        shape(`M${36 + index * 92} ${362 - (index % 3) * 26} l44 -52 l44 52 Z`, dark) +
        box(66 + index * 92, 410, 28, 40, '#f6e6d3'),
    ),
    shape('M470 560 L700 560 C690 620 660 640 620 640 L540 640 C500 640 480 610 470 560 Z', dark),
    box(470, 552, 230, 16, accent),
    box(580, 300, 8, 254, '#6b4f3a'),
    shape('M592 310 L690 530 L592 530 Z', '#fbf6ea'),
    shape('M576 340 L500 530 L576 530 Z', main),
  ].join('')

export const lighthouse: Motif = ({ main, dark, accent }) =>
  [
    box(0, 0, 800, 530, '#dfe8ee'),
    faded(0.6, shape('M400 190 L800 90 L800 290 Z', '#fff1c2'), shape('M400 190 L0 120 L0 260 Z', '#fff1c2')),
    sea('#6d93a8', '#ffffff'),
    shape('M180 640 C240 520 320 500 400 500 C500 500 580 540 660 640 C600 700 240 700 180 640 Z', '#8a8577'),
    shape('M345 240 L455 240 L480 540 L320 540 Z', '#f8f3e8'),
    shape('M339 310 L461 310 L467 380 L333 380 Z', accent),
    shape('M327 450 L473 450 L479 520 L321 520 Z', accent),
    box(330, 226, 140, 22, dark, 6),
    box(356, 160, 88, 70, '#ffe9a8'),
    shape('M346 162 L400 110 L454 162 Z', main),
    box(384, 480, 32, 60, dark, 14),
  ].join('')

export const workshop: Motif = ({ main, dark, accent, wood, metal }) =>
  [
    box(0, 0, 800, 800, '#efe3d0'),
    box(90, 90, 300, 260, '#cfe0e4', 6),
    stroke('M240 90 V350 M90 220 H390', '#fbf6ea', 14),
    box(460, 120, 280, 18, wood),
    box(490, 50, 50, 70, main, 8),
    box(560, 66, 60, 54, accent, 8),
    box(640, 40, 46, 80, dark, 8),
    stroke('M500 160 v90 M570 160 v120 M640 160 v80', metal, 10),
    shape('M480 250 h40 v60 h-40 Z M548 280 l44 0 l-8 60 l-28 0 Z M620 240 h40 v30 h-40 Z', '#6b4f3a'),
    box(0, 520, 800, 60, '#a97c50'),
    box(0, 580, 800, 220, '#8f6640'),
    box(80, 600, 30, 200, '#6f4d31'),
    box(690, 600, 30, 200, '#6f4d31'),
    shape('M220 520 C220 440 380 440 380 520 Z', main),
    stroke('M250 470 C290 440 330 440 360 474', '#fbf6ea', 6),
    box(470, 430, 120, 90, accent, 10),
    box(486, 410, 88, 26, dark, 8),
  ].join('')

export const coast: Motif = ({ main, dark, accent }) =>
  [
    box(0, 0, 800, 470, '#e7eef0'),
    disc(220, 190, 66, '#f6d99a'),
    faded(0.9, shape('M470 150 c20 -40 80 -40 96 0 c40 -10 60 50 14 60 h-130 c-40 -6 -30 -60 20 -60 Z', '#ffffff')),
    box(0, 430, 800, 180, '#88aebb'),
    shape('M430 430 C520 330 640 300 800 290 L800 610 L520 610 C470 560 420 500 430 430 Z', dark),
    shape('M560 470 C630 400 720 380 800 376 L800 660 L520 660 C510 590 520 510 560 470 Z', main),
    shape('M0 610 C200 560 420 640 800 590 L800 800 L0 800 Z', '#ead9b5'),
    shape('M0 600 C200 550 420 632 800 580 L800 604 C420 656 200 574 0 624 Z', '#f7f3e6'),
    stroke('M180 700 c10 -50 20 -70 40 -96 M200 706 c14 -40 34 -60 60 -76 M166 704 c0 -40 -6 -60 -20 -84', dark, 7),
    disc(560, 720, 16, accent),
    disc(600, 736, 10, '#ffffff'),
  ].join('')
