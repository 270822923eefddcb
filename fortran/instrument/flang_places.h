#pragma once

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "flang/Parser/provenance.h"

#include "instrument/cooked_text.h"
#include "instrument/source_model.h"

namespace comshu::fortran {

namespace parser = Fortran::parser;
using parser::CharBlock;

// Flang reads text without carriage returns and byte order mark: offsets into that text, turned back
// into offsets into the file.
class FileOffsets {
public:
    explicit FileOffsets(const std::string& text)
        : first_(text.compare(0, 3, "\xEF\xBB\xBF") == 0 ? 3 : 0), size_(text.size()) {
        for (std::size_t at = text.find("\r\n", first_); at != std::string::npos;
             at = text.find("\r\n", at + 1)) {
            left_out_.push_back(at - first_ - left_out_.size());
        }
    }
    std::size_t operator[](std::size_t at) const {
        auto behind = std::upper_bound(left_out_.begin(), left_out_.end(), at);
        return std::min(first_ + at + static_cast<std::size_t>(behind - left_out_.begin()), size_);
    }

private:
    std::size_t first_;
    std::size_t size_;
    std::vector<std::size_t> left_out_;  // what Flang reads in the place of a carriage return
};

// From Flang's cooked text back to places in the source file.
class CookedPlaces {
public:
    CookedPlaces(const std::string& text, const parser::AllCookedSources& cooked,
                 const parser::SourceFile* file)
        : cooked_(cooked), sources_(cooked.allSources()), file_(file), offsets_(text) {}

    const parser::SourceFile* file() const { return file_; }

    // The place of one cooked character. Characters of a macro's expansion stand where it is used.
    struct Place {
        const parser::SourceFile* file = nullptr;
        std::size_t offset = 0;
        bool macro = false;
    };
    std::optional<Place> Locate(const char* at) const {
        auto range = cooked_.GetProvenanceRange(CharBlock{at, 1});
        if (!range) {
            return std::nullopt;
        }
        Place place;
        parser::Provenance provenance = range->start();
        for (int depth = 0; depth < 100; ++depth) {
            parser::Provenance replaced = sources_.GetReplacedProvenance(provenance);
            if (replaced == provenance) {
                break;
            }
            place.macro = true;
            provenance = replaced;
        }
        place.file = sources_.GetSourceFile(provenance, &place.offset);
        if (!place.file) {
            return std::nullopt;
        }
        return place;
    }

    Span Where(CharBlock block, bool* macro = nullptr) const {
        Span span;
        while (block.size() > 0 && std::isspace(static_cast<unsigned char>(*(block.end() - 1)))) {
            block = CharBlock{block.begin(), block.size() - 1};
        }
        if (block.size() == 0) {
            return span;
        }
        auto first = Locate(block.begin());
        auto last = Locate(block.end() - 1);
        if (first && last && first->file == file_ && last->file == file_) {
            span.begin = offsets_[first->offset];
            span.end = offsets_[last->offset] + 1;
            span.valid = span.begin < span.end;
        }
        if (macro) {
            *macro = (first && first->macro) || (last && last->macro);
        }
        return span;
    }

    // The cooked line that begins at `begin`, when it is this OpenMP directive; else an empty block.
    static CharBlock DirectiveLine(const char* begin, const char* end, const char* directive) {
        std::string line = Collapse(std::string(begin, end));
        if (line != std::string("!$omp") + directive) {
            return CharBlock{};
        }
        while (std::isspace(static_cast<unsigned char>(*begin))) {
            ++begin;
        }
        return CharBlock{begin + 5, static_cast<std::size_t>(end - begin - 5)};
    }
    CharBlock LineBefore(const char* at, const char* directive) const {
        const parser::CookedSource* source = at ? cooked_.Find(at) : nullptr;
        if (!source) {
            return CharBlock{};
        }
        const char* first = source->AsCharBlock().begin();
        while (at > first && at[-1] != '\n') {
            --at;
        }
        if (at == first) {
            return CharBlock{};
        }
        const char* end = at - 1;
        const char* begin = end;
        while (begin > first && begin[-1] != '\n') {
            --begin;
        }
        return DirectiveLine(begin, end, directive);
    }
    CharBlock LineAfter(const char* at, const char* directive) const {
        const parser::CookedSource* source = cooked_.Find(at - 1);
        if (!source) {
            return CharBlock{};
        }
        const char* last = source->AsCharBlock().end();
        while (at < last && *at != '\n') {
            ++at;
        }
        if (at == last) {
            return CharBlock{};
        }
        const char* begin = at + 1;
        const char* end = begin;
        while (end < last && *end != '\n') {
            ++end;
        }
        return DirectiveLine(begin, end, directive);
    }

private:
    const parser::AllCookedSources& cooked_;
    const parser::AllSources& sources_;
    const parser::SourceFile* file_;
    FileOffsets offsets_;
};

}  // namespace comshu::fortran
