#!/usr/bin/env bash
# Makes one file of each kind in the folder given, with tools of Debian: ffmpeg, sox and libsox-fmt-all, imagemagick, webp, libheif-examples,
# lame, opus-tools, libreoffice-writer, -calc and -impress. Ends with 1 when a tool is missing or a file was not made.
set -euo pipefail
cd "$1"

missing=0
for tool in ffmpeg sox convert cwebp img2webp heif-enc lame opusenc soffice zip gzip python3; do
  command -v "$tool" > /dev/null || { echo "missing tool: $tool" >&2; missing=1; }
done
[ "$missing" = 0 ] || exit 1

av() { ffmpeg -v error -y "$@"; }
tone() { av -f lavfi -i 'sine=d=2' "$@"; }
film() { av -f lavfi -i 'testsrc=d=2:s=176x144:r=25' "$@"; }
both() { av -f lavfi -i 'testsrc=d=2:s=176x144:r=25' -f lavfi -i 'sine=d=2' "$@"; }

# Pictures
convert -size 64x64 gradient:red-blue plain.jpg
convert -size 64x64 gradient:red-blue -define jpeg:write-jfif=false bare.jpg
python3 - <<'P'
import struct
plain = open('plain.jpg', 'rb').read()
exif = b'Exif\0\0MM\0*\0\0\0\x08\0\0\0\0\0\0'
open('exif.jpeg', 'wb').write(plain[:2] + b'\xff\xe1' + struct.pack('>H', len(exif) + 2) + exif + plain[2:])
P
convert -size 64x64 gradient:red-blue plain.png
convert -size 64x64 gradient:red-blue -colors 16 PNG8:palette.png
film -t 0.5 -f apng animated.png
cwebp -quiet plain.png -o lossy.webp
cwebp -quiet -lossless plain.png -o lossless.webp
convert -size 64x64 'xc:#ff000080' PNG32:alpha.png
cwebp -quiet alpha.png -o extended.webp
img2webp -o animated.webp plain.png alpha.png > /dev/null 2>&1
for kind in gif bmp tiff ico psd; do convert -size 64x64 gradient:red-blue "plain.$kind"; done
heif-enc -q 50 plain.jpg -o plain.heic > /dev/null
heif-enc -q 50 -A plain.jpg -o plain.avif > /dev/null
printf '<?xml version="1.0"?>\n<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>\n' > plain.svg

# Sound
tone -c:a aac -f 3gp -brand 3gp4 android.m4a
tone -c:a aac ffmpeg.m4a
tone -c:a aac -f mp4 mp4brand.m4a
tone -c:a aac -f ipod book.m4b
tone -c:a aac sound.mp4
tone -c:a aac -movflags +faststart faststart.mp4
tone -c:a aac -movflags +frag_keyframe+empty_moov+default_base_moof fragmented.m4a
tone -c:a aac -f 3gp sound.3gp
tone -c:a aac -f 3g2 sound.3g2
av -i ffmpeg.m4a -i plain.jpg -map 0:a -map 1:v -c copy -disposition:v:0 attached_pic cover.m4a
av -i ffmpeg.m4a -i plain.jpg -map 0:a -map 1:v -c copy cover-track.mp4
tone -c:a aac plain.aac
tone -c:a aac -f adts -write_id3v2 1 -metadata title=tone tagged.aac
tone -c:a libmp3lame -id3v2_version 0 -write_xing 0 bare.mp3
tone -c:a libmp3lame -id3v2_version 3 -metadata title=tone id3v23.mp3
tone -c:a libmp3lame -id3v2_version 4 -metadata title=tone id3v24.mp3
tone -c:a libmp3lame -q:a 4 vbr.mp3
tone -c:a libmp3lame -ar 22050 mpeg2.mp3
tone -c:a libmp3lame -ar 8000 -b:a 16k mpeg25.mp3
sox -n -r 44100 -b 16 sox.wav synth 2 sine 440
lame --quiet --preset standard sox.wav lame.mp3
sox -n -r 44100 sox.mp3 synth 2 sine 440
convert -size 500x500 xc:gray +noise Random -quality 95 noise.jpg
av -i bare.mp3 -i noise.jpg -map 0 -map 1 -c copy -id3v2_version 3 cover.mp3
head -c 4000 /dev/zero | cat - bare.mp3 > zeros-before.mp3
tail -c +100 bare.mp3 > cut.mp3
python3 - <<'P'
frames = open('bare.mp3', 'rb').read()
title = b'TT2' + (5).to_bytes(3, 'big') + b'\0tone'
open('id3v22.mp3', 'wb').write(b'ID3\2\0\0' + b'\0\0\0' + bytes([len(title)]) + title + frames)
P
sox -n -r 8000 -c 1 -t amr-nb narrow.amr synth 2 sine 440
python3 -c 'open("wide.amr", "wb").write(b"#!AMR-WB\n" + (b"\x04" + b"\x5a" * 17) * 50)'
opusenc --quiet sox.wav opusenc.opus
tone -c:a libopus ffmpeg.ogg
tone -c:a libopus -f ogg recorded.oga
tone -c:a libvorbis vorbis.ogg
sox -n -r 44100 sox.ogg synth 2 sine 440
tone -c:a flac -f ogg flac.oga
tone -c:a libspeex -ar 16000 -ac 1 -f ogg speex.ogg
film -c:v libtheora theora.ogv
for kind in flac caf aiff au ac3 mp2 wma mka; do tone "sound.$kind"; done
tone -c:a libopus sound.webm

# Film
both -c:v libx264 -pix_fmt yuv420p -c:a aac end.mp4
both -c:v libx264 -pix_fmt yuv420p -c:a aac -movflags +faststart start.mp4
both -c:v libx264 -pix_fmt yuv420p -c:a aac -movflags +frag_keyframe+empty_moov frag.mp4
both -c:v libx265 -x265-params log-level=none -c:a aac hevc.mp4
both -c:v libvpx-vp9 -c:a libopus -strict -2 -movflags +frag_keyframe+empty_moov chrome.mp4
film -c:v libx264 -pix_fmt yuv420p silent.mp4
both -c:v libx264 -pix_fmt yuv420p -c:a aac -f ipod apple.m4v
both -c:v h263 -c:a aac -f 3gp phone.3gp
both -c:v libx264 -pix_fmt yuv420p -c:a aac -f 3gp -brand 3gp5 phone.mp4
both -c:v h263 -c:a aac -f 3g2 phone.3g2
both -c:v libx264 -pix_fmt yuv420p -c:a aac plain.mov
both -c:v libvpx-vp9 -c:a libopus plain.webm
both -c:v libx264 -c:a aac plain.mkv
for kind in avi flv wmv mpg ts; do both "plain.$kind"; done
film -c:v libx264 -f h264 raw.h264
film -c:v libx265 -x265-params log-level=none -f hevc raw.h265

# Documents
printf 'Grüße aus Köln – 42 €\n' > utf8.txt
printf 'Name;Preis\nBrot;3,20 €\n' > table.csv
for kind in txt csv log json xml vcf md; do printf 'Grüße;42 €\n' | iconv -t WINDOWS-1252 > "western.$kind"; done
printf '\xff\xfe' > utf16.txt; printf 'Grüße;42 €\n' | iconv -t UTF-16LE >> utf16.txt
printf '\xfe\xff' > utf16be.csv; printf 'Grüße;42 €\n' | iconv -t UTF-16BE >> utf16be.csv
printf '\xef\xbb\xbfName;42\n' > bom.csv
printf 'ok \033[32mgreen\033[0m\n' > colour.log
printf '{"a": "é"}\n' > plain.json
printf 'BEGIN:VCARD\r\nVERSION:3.0\r\nFN:A B\r\nEND:VCARD\r\n' > plain.vcf
cat > plain.fodp <<'P'
<?xml version="1.0"?><office:document xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"
 xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0" office:version="1.2"
 office:mimetype="application/vnd.oasis.opendocument.presentation"><office:body><office:presentation>
 <draw:page draw:name="one"/></office:presentation></office:body></office:document>
P
profile="-env:UserInstallation=file://$PWD/.profile"
office() { soffice "$profile" --headless --convert-to "$1" "$2" > /dev/null 2>&1; }
for kind in docx doc odt rtf pdf; do office "$kind" utf8.txt; done
for kind in xlsx xls ods; do office "$kind" table.csv; done
for kind in pptx ppt odp; do office "$kind" plain.fodp; done
rm -r .profile
sed '1s/%PDF-1\.[0-9]/%PDF-2.0/' utf8.pdf > two.pdf
{ printf '\r\n\r\nleft over\r\n'; cat utf8.pdf; } > later.pdf
zip -q plain.zip utf8.txt
gzip -c utf8.txt > plain.gz
cp "$(type -P true)" program

rm sox.wav noise.jpg alpha.png plain.fodp
sox -n -r 44100 plain.wav synth 2 sine 440
